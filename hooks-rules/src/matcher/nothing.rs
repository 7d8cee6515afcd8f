//! Detects valid matchers that can never match.

use serde_json::Value;

use super::{Form, Matcher};
#[cfg(feature = "runner")]
use crate::aliases::Aliases;
use crate::event::Event;

/// The tools that scripts are written for.
const TOOLS: &[&str] = &[
    "Agent",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "Edit",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "KillShell",
    "LS",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "Read",
    "Skill",
    "SlashCommand",
    "Task",
    "TodoWrite",
    "WebFetch",
    "WebSearch",
    "Write",
    "run_shell_command",
    "read_file",
    "write_file",
    "replace",
    "web_fetch",
    "web_search",
];

/// The known values at an event, and whether other values are possible.
fn values(event: Event) -> (&'static [&'static str], bool) {
    match event {
        Event::SessionStart => (&["startup", "resume", "clear", "compact", "fork"], false),
        Event::SessionEnd => (&["clear", "resume", "logout", "prompt_input_exit", "other", "shutdown", "idle"], true),
        Event::PreCompact | Event::PostCompact => (&["manual", "auto"], false),
        Event::Setup => (&["init", "maintenance"], false),
        Event::ConfigChange => {
            (&["user_settings", "project_settings", "local_settings", "policy_settings", "skills"], false)
        }
        event if event.is_of_a_tool() => (TOOLS, true),
        _ => (&[], true),
    }
}

/// Describes the problem of a matcher at an event that does not support matchers.
pub(crate) fn has_no_effect(event: Event, is_read: bool, written: Option<&Value>) -> Option<(String, &'static str)> {
    let selects_all = match written? {
        Value::String(text) => matches!(text.as_str(), "" | "*"),
        Value::Object(entries) => entries.is_empty(),
        Value::Null => true,
        _ => false,
    };
    let problem = || format!("a matcher has no effect at `{event}`: the rule runs each time");
    (!is_read && !selects_all).then(|| (problem(), "remove it, and let the command decide"))
}

/// Describes the problem of a matcher that matches no known value, with a suggestion.
pub(crate) fn matches_nothing(event: Event, matcher: &Matcher, written: Option<&Value>) -> Option<(String, String)> {
    let (known, may_be_others) = values(event);
    let field = event.spec().matched?;
    if known.is_empty() {
        return None;
    }
    if event.is_of_a_tool()
        && let Some(flaw) = no_tool(matcher, written)
    {
        return Some(flaw);
    }
    if let Form::Exact(names) = &matcher.0 {
        return names.iter().find_map(|name| {
            let meant = meant(name, known);
            if known.contains(&name.as_str()) || (may_be_others && meant.is_none()) {
                return None;
            }
            let help = match meant {
                Some(meant) => format!("write `{meant}`"),
                None => format!("write one of {}", known.join(", ")),
            };
            Some((format!("`{name}` is not a known `{field}`, so it selects nothing"), help))
        });
    }
    let selects_nothing = !may_be_others && !known.iter().any(|value| matcher.selects(value));
    selects_nothing.then(|| {
        let written = written.map_or_else(String::new, Value::to_string);
        (format!("{written} selects no known `{field}`"), format!("write one of {}", known.join(", ")))
    })
}

/// Describes the names in a matcher that no tool of a harness has, if the matcher selects no tool or if a tool has almost
/// this name. A file for several programs may name tools of the others.
#[cfg(feature = "runner")]
pub(crate) fn unknown_tools(matcher: &Matcher, tools: &[String], aliases: &Aliases) -> Vec<(String, String)> {
    let known: Vec<&str> = tools.iter().flat_map(|tool| aliases.names(tool)).collect();
    let selects_one = matcher.selects_any(known.iter().copied());
    let listed = || format!("this program has the tools {}", tools.join(", "));
    match &matcher.0 {
        Form::All => Vec::new(),
        Form::Expression(_) if selects_one => Vec::new(),
        Form::Expression(expression) => {
            vec![(format!("no tool of this program matches `{expression}`, so it selects nothing"), listed())]
        }
        Form::Exact(names) => {
            let unknown = names.iter().filter(|name| !known.contains(&name.as_str()));
            let described = unknown.filter_map(|name| {
                let help = match meant(name, &known) {
                    Some(meant) => format!("write `{meant}`, or give that tool the alias `{name}`"),
                    None if selects_one => return None,
                    None => listed(),
                };
                Some((format!("no tool of this program is called `{name}`, so it selects nothing"), help))
            });
            described.collect()
        }
    }
}

/// What selects no tool of any name: a server of MCP without its tools, or signs that no name has.
fn no_tool(matcher: &Matcher, written: Option<&Value>) -> Option<(String, String)> {
    let text = written?.as_str()?;
    if let Form::Exact(names) = &matcher.0 {
        let server = |name: &&String| name.strip_prefix("mcp__").is_some_and(|rest| !rest.contains("__"));
        let name = names.iter().find(server)?;
        return Some((
            format!("`{name}` is the whole name of no tool: it names a server"),
            format!("write `{name}__.*` for all tools of the server"),
        ));
    }
    let sign = text.chars().find(|c| ";=\"'`!@#%&~<>".contains(*c) && !text.contains('['))?;
    Some((
        format!("no tool has `{sign}` in its name, so the matcher selects nothing"),
        "list the names that are meant, as in `Edit|Write`".to_owned(),
    ))
}

/// The known tool of this name, or the one that was likely meant.
pub(crate) fn meant_tool(name: &str) -> Option<&'static str> {
    TOOLS.iter().copied().find(|known| *known == name).or_else(|| meant(name, TOOLS))
}

/// The value that was likely meant.
fn meant<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    if known.contains(&name) || name.len() > 40 {
        return None;
    }
    let by_case = known.iter().find(|known| known.eq_ignore_ascii_case(name));
    let near = |known: &&&str| name.len() > 3 && strsim::osa_distance(known, name) == 1;
    by_case.or_else(|| known.iter().find(near)).copied()
}
