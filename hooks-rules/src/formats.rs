//! The dialects of rule files: how each interprets files, matchers, standard input and answers. A dialect is a folder
//! here with an implementation of [`Format`]. No other code depends on the dialect.

mod agentao;
mod claude;

use std::path::Path;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::answer::{Answer, RunStatus};
use crate::dialect::Dialect;
use crate::event::Event;
use crate::matcher::{BadMatcher, Form, Matcher, WRITTEN_LIMIT, length};
use crate::occurrence::Occurrence;
use crate::rule::{Action, Rule};
use crate::syntax::{Drafts, Entry, Flaw, Flaws, HandlerSupport, Node, items};

#[cfg(feature = "runner")]
pub(crate) use claude::goes_on_alone;

/// The behaviour of a dialect.
pub(crate) trait Format: Sync {
    /// Whether the dialect defines this event, even if nothing here fires it.
    fn knows(&self, event: Event) -> bool;

    /// The rules for handlers at an event.
    fn terms(&self, event: Event) -> HandlerSupport;

    /// Parses a matcher.
    fn matcher(&self, event: Event, written: &Value) -> Result<Form, BadMatcher>;

    /// Parses an entry in the list of an event.
    fn entry(&self, event: Event, node: &Node, drafts: &mut Drafts, flaws: &mut Flaws);

    /// Whether an event can have a single entry instead of a list.
    fn takes_one(&self) -> bool;

    /// Whether events can be at the top level of a file instead of under `hooks`.
    fn may_leave_out_hooks(&self) -> bool;

    /// Whether duplicate rules are merged.
    fn merges_copies(&self) -> bool;

    /// Whether the first line on stdout can move the command to the background.
    #[cfg_attr(not(feature = "runner"), expect(dead_code, reason = "there is no runner"))]
    fn first_line_counts(&self) -> bool;

    /// Whether exit code 2 is an answer, not a failure.
    fn exit_2_is_an_answer(&self) -> bool;

    /// The variable with the file to which commands at this event export variables.
    #[cfg_attr(not(feature = "runner"), expect(dead_code, reason = "there is no runner"))]
    fn exports_variable(&self, event: Event) -> Option<&'static str>;

    /// The object for standard input.
    fn stdin(&self, occurrence: &Occurrence) -> Value;

    /// Interprets the answer of a command or a server.
    fn answer(&self, event: Event, status: &RunStatus, stdout: &str, stderr: &str) -> Answer;

    /// The JSON Schema of an event's entries: handlers, or groups of handlers.
    fn schema(&self, event: Event, handler: &Value) -> Value;

    /// The JSON Schema of the fields of a handler that only this dialect has.
    fn schema_of_handler(&self, event: Event, kind: &str) -> Value;
}

/// The implementation of a dialect.
pub(crate) fn of(dialect: Dialect) -> &'static dyn Format {
    match dialect {
        Dialect::Claude => &claude::Claude,
        Dialect::Agentao => &agentao::Agentao,
    }
}

impl Dialect {
    /// Whether the dialect defines this event, even if nothing here fires it.
    pub fn knows(self, event: Event) -> bool {
        of(self).knows(event)
    }

    /// The types of handlers that run at an event, except `hook`. Types that are recognised but rejected are not
    /// included.
    pub fn types(self, event: Event) -> &'static [&'static str] {
        of(self).terms(event).types
    }

    /// The default timeout of a command.
    pub fn command_timeout(self, event: Event) -> Duration {
        of(self).terms(event).command
    }
}

impl Matcher {
    /// Parses the value of `matcher`. `None` means that there is none.
    ///
    /// # Errors
    /// [`BadMatcher`] if it is invalid. The group then selects nothing.
    pub fn read(dialect: Dialect, event: Event, written: Option<&Value>) -> Result<Self, BadMatcher> {
        let Some(written) = written.filter(|value| !value.is_null()) else { return Ok(Self::ALL) };
        if length(written) > WRITTEN_LIMIT {
            return Err(BadMatcher::new(
                format!("the matcher is longer than {WRITTEN_LIMIT} bytes"),
                "write the common part of the names as an expression, as in `mcp__.*`",
            ));
        }
        of(dialect).matcher(event, written).map(Self)
    }
}

impl Occurrence {
    /// The object for a rule's stdin. Its keys are sorted, whatever features other crates of the build enable for maps,
    /// so that a script gets the same bytes from every program.
    pub fn stdin(&self, dialect: Dialect) -> Value {
        let mut object = of(dialect).stdin(self);
        object.sort_all_objects();
        object
    }
}

impl Rule {
    /// The key by which duplicate rules of settings files are merged: the same command with the same arguments, or the
    /// same request.
    pub fn duplicate_key(&self) -> Option<String> {
        let merges = of(self.dialect).merges_copies() && matches!(self.action, Action::Command(_) | Action::Http(_));
        merges.then(|| format!("{:?}", self.action))
    }
}

/// Keys that settings files have besides `hooks`.
const SETTINGS: &[&str] = &["permissions", "env", "model", "statusLine", "enabledPlugins", "disableAllHooks"];

/// Detects the dialect. A file is nested if any entry has an inner list, or if it is a settings file: a missing inner
/// list must not change the meaning of the other rules.
pub(crate) fn recognised(file: &Path, root: &Node, hooks: &[Entry], flaws: &mut Flaws) -> Dialect {
    let entries = || hooks.iter().flat_map(|entry| items(&entry.node));
    let first = entries().find(|node| node.entries().is_some());
    let Some(first) = first.filter(|_| !entries().any(|node| node.get("hooks").is_some())) else {
        return Dialect::Claude;
    };
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let in_settings = file.components().any(|part| part.as_os_str() == ".claude");
    if in_settings || name.starts_with("settings.") || SETTINGS.iter().any(|key| root.get(key).is_some()) {
        return Dialect::Claude;
    }
    // Only the flat dialect has objects as matchers.
    if !entries().any(|node| node.get("matcher").is_some_and(|matcher| matcher.entries().is_some())) {
        let problem =
            "no entry has an inner `hooks` list, so these are flat handlers (agentao): exit code 2 is a failure";
        let help =
            "put handlers into inner lists, `{\"hooks\": [{…}]}`, or name the dialect, agentao, where the file is read";
        flaws.push(Flaw::warning(first.span.clone(), problem, help));
    }
    Dialect::Agentao
}

/// Parses JSON that a script has printed. A text cut within a character, as JavaScript and Python write it (`"\ud83d"`), and a
/// number beyond all bounds are JSON for them, and must not keep an answer from being read.
pub(crate) fn json<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_str(text).or_else(|error| serde_json::from_str(&bounded(text)).map_err(|_| error))
}

/// The text with what only some readers of JSON take: half a character becomes one that says so, a number the largest.
fn bounded(text: &str) -> String {
    let (mut whole, mut rest, mut in_text) = (String::with_capacity(text.len()), text, false);
    while let Some(c) = rest.chars().next() {
        let unit = |from: usize| u16::from_str_radix(rest.get(from..from + 4)?, 16).ok();
        let taken = match c {
            '\\' if in_text && rest[1..].starts_with('u') => match (unit(2), unit(8)) {
                (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) if rest[6..].starts_with("\\u") => 12,
                (Some(0xd800..=0xdfff), _) => {
                    whole.push('\u{fffd}');
                    rest = &rest[6..];
                    continue;
                }
                _ => 2,
            },
            '\\' if in_text => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            '"' => {
                in_text = !in_text;
                1
            }
            '-' | '0'..='9' if !in_text => {
                let end =
                    rest.find(|c: char| !matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E')).unwrap_or(rest.len());
                if rest[..end].parse::<f64>().is_ok_and(f64::is_infinite) {
                    whole.push_str(if c == '-' { "-1e308" } else { "1e308" });
                    rest = &rest[end..];
                    continue;
                }
                end
            }
            c => c.len_utf8(),
        };
        whole.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    whole
}
