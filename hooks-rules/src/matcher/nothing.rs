//! Detects valid matchers that can never match.

use serde_json::Value;

use super::{Form, Matcher};
#[cfg(feature = "runner")]
use super::{expression, glob};
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

/// Signs that are in the name of no tool.
const NO_NAME: &str = ";=\"'`!@#%&~<>";

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
        return names.iter().find_map(|name| unknown(name, field, known, may_be_others));
    }
    let selects_nothing = !may_be_others && !known.iter().any(|value| matcher.selects(value));
    selects_nothing.then(|| {
        let written = written.map_or_else(String::new, Value::to_string);
        (format!("{written} selects no known `{field}`"), format!("write one of {}", known.join(", ")))
    })
}

/// Describes the problem of a name that is none of the known ones, with the one that was likely meant.
fn unknown(name: &str, field: &str, known: &[&str], may_be_others: bool) -> Option<(String, String)> {
    let meant = meant(name, known);
    if known.contains(&name) || (may_be_others && meant.is_none()) {
        return None;
    }
    let help = match meant {
        Some(meant) => format!("write `{meant}`"),
        None => format!("write one of {}", known.join(", ")),
    };
    Some((format!("`{name}` is not a known `{field}`, so it selects nothing"), help))
}

/// Describes the problem of a name or pattern (`*`, `?`) in the parameters of a hook that selects no tool. The names that the
/// app has given its tools are right there: a hook sees no other.
#[cfg(feature = "runner")]
pub(crate) fn names_no_tool(pattern: &str, aliases: &Aliases) -> Option<(String, String)> {
    if aliases.on_the_wire(pattern) != pattern {
        return None;
    }
    if let Some(sign) = pattern.chars().find(|c| NO_NAME.contains(*c) || "|,^$()[]{}+\\".contains(*c)) {
        let problem = format!("no tool has `{sign}` in its name, so `{pattern}` selects nothing");
        return Some((problem, "write each name by itself; `*` stands for any text".to_owned()));
    }
    let is_of_server = pattern.starts_with("mcp__");
    if is_of_server && pattern.contains(".*") {
        let problem = format!("no tool of a server has `.` in its name, so `{pattern}` selects nothing");
        return Some((problem, format!("write `{}`: it is no expression", pattern.replace(".*", "*"))));
    }
    if pattern.contains(['*', '?']) {
        return None;
    }
    if is_of_server && names_a_server(pattern) {
        let problem = format!("`{pattern}` is the whole name of no tool: it names a server");
        return Some((problem, format!("write `{pattern}__*` for all tools of the server")));
    }
    unknown(pattern, "tool_name", TOOLS, true)
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
            let write = |meant: &str, name: &str| format!("write `{meant}`, or give that tool the alias `{name}`");
            unknown_names(names, &known, write, listed)
        }
    }
}

/// The same for the names and patterns in the parameters of a hook, which knows no aliases.
#[cfg(feature = "runner")]
pub(crate) fn unknown_patterns(patterns: &[String], tools: &[String]) -> Vec<(String, String)> {
    let known: Vec<&str> = tools.iter().map(String::as_str).collect();
    let listed = || format!("this program has the tools {}", tools.join(", "));
    unknown_names(patterns, &known, |meant, _| format!("write `{meant}`"), listed)
}

/// Describes the names, in which `*` and `?` stand for others, that none of the known names is.
#[cfg(feature = "runner")]
fn unknown_names(
    names: &[String],
    known: &[&str],
    write: impl Fn(&str, &str) -> String,
    listed: impl Fn() -> String,
) -> Vec<(String, String)> {
    let selects = |name: &&String| {
        let pattern = expression(&format!(r"(?s)\A{}\z", glob(name)));
        pattern.is_ok_and(|pattern| known.iter().any(|tool| pattern.is_match(tool)))
    };
    let selects_one = names.iter().any(|name| selects(&name));
    // Every tool of a server that is here is known.
    let server = |name: &str| name.match_indices("__").nth(1).map(|(at, _)| name[..at + 2].to_owned());
    let is_here = |name: &str| {
        let of_server = server(name).filter(|server| server.starts_with("mcp__"));
        of_server.is_some_and(|server| known.iter().any(|tool| tool.starts_with(&server)))
    };
    let of_server = |name: &str| {
        let tool = |known: &&&str| server(known).is_some_and(|server| known.strip_prefix(&server) == Some(name));
        known.iter().filter(|known| known.starts_with("mcp__")).find(tool).copied()
    };
    let described = names.iter().filter(|name| !selects(name)).filter_map(|name| {
        let help = match meant(name, known).or_else(|| of_server(name)) {
            Some(meant) => write(meant, name),
            None if selects_one && !is_here(name) => return None,
            None => listed(),
        };
        let is = if name.contains(['*', '?']) { "matches" } else { "is called" };
        Some((format!("no tool of this program {is} `{name}`, so it selects nothing"), help))
    });
    described.collect()
}

/// What selects no tool of any name: a server of MCP without its tools, or signs that no name has.
fn no_tool(matcher: &Matcher, written: Option<&Value>) -> Option<(String, String)> {
    let text = written?.as_str()?;
    if let Form::Exact(names) = &matcher.0 {
        let name = names.iter().find(|name| names_a_server(name))?;
        return Some((
            format!("`{name}` is the whole name of no tool: it names a server"),
            format!("write `{name}__.*` for all tools of the server"),
        ));
    }
    let sign = text.chars().find(|c| NO_NAME.contains(*c) && !text.contains('['))?;
    Some((
        format!("no tool has `{sign}` in its name, so the matcher selects nothing"),
        "list the names that are meant, as in `Edit|Write`".to_owned(),
    ))
}

fn names_a_server(name: &str) -> bool {
    name.strip_prefix("mcp__").is_some_and(|rest| !rest.contains("__"))
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
    let near = |known: &&&str| name.len().max(known.len()) > 3 && strsim::osa_distance(known, name) == 1;
    by_case.or_else(|| known.iter().find(near)).copied()
}
