//! Parses the fields of a handler. They are the same in both dialects, except for types that a dialect lacks.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value};

use super::defect::{Flaw, Flaws};
use super::fields::Handler;
use super::json::Node;
use super::keys;
use super::support::HandlerSupport;
use crate::event::Event;
use crate::filter::{BadFilter, Filter};
use crate::json_type::json_type_name;
use crate::matcher::Matcher;
use crate::rule::{Action, CommandLine, FailureMode, HttpRequest, JudgePrompt, Shell};

/// A validated handler.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch that the file has")]
pub(crate) struct HandlerSpec {
    pub(crate) action: Action,
    pub(crate) filter: Option<Filter>,
    pub(crate) timeout: Duration,
    pub(crate) timeout_is_written: bool,
    pub(crate) on_failure: FailureMode,
    pub(crate) on_failure_is_written: bool,
    pub(crate) detached: bool,
    pub(crate) wakes: bool,
    pub(crate) once: bool,
    pub(crate) status_message: Option<String>,
}

/// A longer timeout was probably meant in milliseconds.
const LONGEST: u64 = 3_600;

/// Linux limits an argument of a command to 128 KiB.
const WORD: usize = 100_000;

/// Parses a handler. `None` if an error prevents that. `others` are fields of the caller that do not belong to the
/// handler.
pub(crate) fn read(
    terms: HandlerSupport,
    event: Event,
    node: &Node,
    others: &[&str],
    flaws: &mut Flaws,
) -> Option<(Map<String, Value>, HandlerSpec)> {
    let Value::Object(mut fields) = node.value() else {
        let problem = format!("a handler is an object, not {}", json_type_name(&node.value()));
        flaws.push(Flaw::error(node.span.clone(), problem, "write `{\"type\": \"command\", \"command\": \"…\"}`"));
        return None;
    };
    fields.retain(|name, _| !others.contains(&name.as_str()));
    keys::warn(node.entries().unwrap_or_default(), keys::OF_HANDLER, flaws, |meant| match meant {
        "if" => ", so it runs for every call",
        "timeout" => ", so it has the default timeout",
        "onFailure" => ", so its failure does not block",
        _ => "",
    });
    let before = flaws.costly();
    let mut handler = Handler { terms, event, node, flaws };
    let action = handler.action();
    let wakes = handler.flag("asyncRewake");
    let parts = HandlerSpec {
        filter: handler.filter(),
        timeout_is_written: node.get("timeout").is_some(),
        timeout: handler.timeout(action.as_ref()),
        on_failure: handler.on_failure(),
        on_failure_is_written: node.get("onFailure").is_some(),
        wakes,
        detached: handler.flag("async") | wakes,
        once: handler.flag("once"),
        status_message: handler.text("statusMessage"),
        action: action?,
    };
    if parts.detached && parts.on_failure == FailureMode::Block && event.is_of_a_tool() {
        let problem = "a rule that runs in the background refuses nothing, so `onFailure` has no effect";
        flaws.push(Flaw::error(node.span.clone(), problem, "remove `async` from a guard"));
    }
    let read = flaws.costly() == before;
    if let (Action::Unsupported { kind, .. }, true) = (&parts.action, read) {
        let help = "use `command`, `prompt`, or a compiled hook, `{\"type\": \"hook\", \"id\": \"…\"}`";
        let span = node.get("type").map_or(node.span.clone(), |node| node.span.clone());
        flaws.push(Flaw::error(span, unsupported(kind), help));
    }
    read.then_some((fields, parts))
}

impl HandlerSpec {
    /// Reports an `if` that names another tool than the matcher. If it names none that is known, the handler runs for
    /// every call: a guard that runs too often is better than no guard.
    pub(crate) fn check_filter(&mut self, node: &Node, matcher: &Matcher, flaws: &mut Flaws) {
        let (Some(entry), Some(filter)) = (node.get("if"), &self.filter) else { return };
        if matcher.is_all()
            && let Some(meant) = filter.meant()
        {
            let problem = format!("`{filter}` names no known tool; until then this handler runs for every call");
            flaws.push(Flaw::warning(entry.span.clone(), problem, format!("write `{meant}`")));
            self.filter = None;
        } else if !filter.may_fit(matcher) {
            let problem = format!("the matcher does not select the tool of `{filter}`, so the handler never runs");
            flaws.push(Flaw::warning(entry.span.clone(), problem, "name the same tool in both"));
        }
    }
}

/// What is said of a handler whose type only another program has.
pub(crate) fn unsupported(kind: &str) -> String {
    format!("handlers of the type `{kind}` are not supported here; with `onFailure: block` they deny")
}

impl Handler<'_> {
    fn action(&mut self) -> Option<Action> {
        let kind = self.required("type", "\"type\": \"command\"")?;
        let written = kind.as_str();
        if written == "hook" {
            return self.required("id", "\"id\": \"redact_pii\"").map(|id| {
                let with = self.node.get("with").map(Node::value).filter(|with| !with.is_null());
                Action::Compiled { id, with }
            });
        }
        if matches!(written, "agent" | "mcp_tool") {
            let mut part = |name: &str| self.text(name);
            let what = match part("prompt") {
                Some(prompt) => prompt,
                None => [part("server"), part("tool")].into_iter().flatten().collect::<Vec<_>>().join(" "),
            };
            return Some(Action::Unsupported { kind, what });
        }
        let types = self.terms.types;
        if !types.contains(&written) {
            let known = ["command", "http", "prompt"].contains(&written);
            let problem = if known {
                format!(
                    "a handler of the type `{written}` cannot be used at `{}` of a file of the dialect {}",
                    self.event, self.terms.dialect
                )
            } else {
                format!("there is no type `{written}`")
            };
            self.error("type", problem, format!("write {}, or `hook`", listed(types)));
            return None;
        }
        match written {
            "http" => self.request(),
            "prompt" => self.prompt(),
            _ => self.command(),
        }
    }

    fn command(&mut self) -> Option<Action> {
        let command = self.required("command", "\"command\": \"./check.sh\"")?;
        let args = match self.node.get("args").map(Node::value) {
            None | Some(Value::Null) => None,
            Some(value) => match serde_json::from_value::<Vec<String>>(value) {
                Ok(args) => Some(args),
                Err(_) => {
                    self.error("args", "`args` is a list of strings", "write `\"args\": [\"--strict\"]`");
                    return None;
                }
            },
        };
        let shell = match self.text("shell").as_deref() {
            None | Some("bash" | "sh") => Shell::Sh,
            Some("powershell" | "pwsh") => Shell::PowerShell,
            Some(other) => {
                self.error("shell", format!("there is no shell `{other}`"), "write `bash` or `powershell`");
                return None;
            }
        };
        if args.is_none() && command.contains("${user_config.") {
            let help = "separate the program and its arguments: `\"command\": \"…\", \"args\": [\"${user_config.…}\"]`";
            self.error("command", "`${user_config.…}` is not expanded in a shell command", help);
            return None;
        }
        let words = std::iter::once((&command, "command")).chain(args.iter().flatten().map(|arg| (arg, "args")));
        if let Some((name, (problem, help))) =
            words.map(|(word, name)| (name, impossible(word))).find_map(|(name, why)| Some((name, why?)))
        {
            self.error(name, format!("`{name}` {problem}"), help);
            return None;
        }
        Some(Action::Command(CommandLine { command, args, shell }))
    }

    fn request(&mut self) -> Option<Action> {
        let url = self.required("url", "\"url\": \"http://localhost:8080/hook\"")?;
        let scheme = url.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        if !matches!(scheme.as_deref(), Some("http" | "https")) && !url.starts_with('$') {
            self.warning(
                "url",
                "requests go to `http://` and `https://`, so this one fails",
                "write the whole address",
            );
        }
        let headers = match self.node.get("headers").map(Node::value) {
            None => BTreeMap::new(),
            Some(value) => serde_json::from_value(value).unwrap_or_else(|_| {
                self.error("headers", "`headers` maps names to strings", "write `\"headers\": {\"X-Team\": \"desk\"}`");
                BTreeMap::new()
            }),
        };
        let allowed_env = match self.node.get("allowedEnvVars").map(Node::value) {
            None => Vec::new(),
            Some(value) => serde_json::from_value(value).unwrap_or_else(|_| {
                self.error("allowedEnvVars", "`allowedEnvVars` is a list of names", "write `[\"TEAM\"]`");
                Vec::new()
            }),
        };
        Some(Action::Http(HttpRequest { url, headers, allowed_env }))
    }

    fn prompt(&mut self) -> Option<Action> {
        let prompt = self.required("prompt", "\"prompt\": \"…\"")?;
        if self.terms.prompt_is_text {
            return Some(Action::Text(prompt));
        }
        let (model, continue_on_block) = (self.text("model"), self.flag("continueOnBlock"));
        Some(Action::Judge(JudgePrompt { prompt, model, continue_on_block }))
    }

    fn filter(&mut self) -> Option<Filter> {
        let written = self.node.get("if").map(Node::value).filter(|written| !written.is_null())?;
        if !self.event.is_of_a_tool() {
            let problem =
                format!("`if` works only at the events of tools; at `{}` a handler with it never runs", self.event);
            self.error("if", problem, "remove it");
            return None;
        }
        // A guard that runs too often is better than no guard.
        let warn = |bad: BadFilter| {
            let problem = format!(
                "`{}` is not one permission rule: {}; until then this handler runs for every call that its matcher selects",
                bad.written, bad.problem
            );
            self.warning("if", problem, bad.help);
        };
        let read = match &written {
            Value::String(text) => Filter::read(text),
            other => Err(BadFilter {
                written: other.to_string(),
                problem: format!("it is {}", json_type_name(other)),
                help: "write it as a string, in a handler of its own",
            }),
        };
        read.map_err(warn).ok()
    }

    fn timeout(&mut self, action: Option<&Action>) -> Duration {
        let usual = match action {
            Some(Action::Judge(_)) => self.terms.question,
            _ => self.terms.command,
        };
        let Some(node) = self.node.get("timeout") else { return usual };
        let seconds = node.value().as_f64().filter(|seconds| seconds.is_finite() && *seconds > 0.0);
        // A guard with the default timeout is better than no guard.
        let Some(seconds) = seconds else {
            let problem = format!("`timeout` is a number of seconds above 0; {} s is used", usual.as_secs_f64());
            self.warning("timeout", problem, "write `\"timeout\": 30`");
            return usual;
        };
        let longest = if self.event == Event::SessionEnd { 60 } else { LONGEST };
        let limit = Duration::from_secs(longest);
        if seconds > limit.as_secs_f64() {
            let problem = format!("`timeout` is in seconds; {seconds} is more than {longest}, which is used");
            self.warning(
                "timeout",
                problem,
                format!("write `\"timeout\": {}` if it was meant in milliseconds", seconds / 1000.0),
            );
            return limit;
        }
        Duration::from_secs_f64(seconds)
    }

    fn on_failure(&mut self) -> FailureMode {
        match self.text("onFailure").as_deref() {
            Some("block") => FailureMode::Block,
            None | Some("continue") => FailureMode::Continue,
            Some(other) => {
                self.error("onFailure", format!("there is no `{other}` here"), "write `continue` or `block`");
                FailureMode::Block
            }
        }
    }
}

/// Why the system does not accept an argument, with a suggestion.
fn impossible(word: &str) -> Option<(String, &'static str)> {
    if word.contains('\0') {
        return Some(("contains the character NUL, which is not allowed in arguments".to_owned(), "remove `\\u0000`"));
    }
    let long = word.len() > WORD;
    long.then(|| (format!("is longer than {WORD} bytes"), "put it into a script and run that"))
}

fn listed(types: &[&str]) -> String {
    types.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
