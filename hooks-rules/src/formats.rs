//! The dialects of rule files: what each makes of a file, a matcher, standard input and an answer. A dialect is a folder here and
//! an implementation of [`Format`]; nothing else asks which one it is.

mod agentao;
mod claude;

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::answer::{Answer, RunStatus};
use crate::dialect::Dialect;
use crate::event::Event;
use crate::matcher::{BadMatcher, Form, Matcher, WRITTEN_LIMIT, length};
use crate::rule::{Action, Rule};
use crate::stdin::Occurrence;
use crate::written::{Drafts, Entry, Flaw, Flaws, Node, Terms, items};

#[cfg(feature = "runner")]
pub(crate) use claude::goes_on_alone;

/// What a dialect makes of everything that differs between dialects.
pub(crate) trait Format: Sync {
    /// Whether it has this event at all, fired here or not.
    fn knows(&self, event: Event) -> bool;

    /// What it has of handlers at an event.
    fn terms(&self, event: Event) -> Terms;

    /// Reads a matcher.
    fn matcher(&self, event: Event, written: &Value) -> Result<Form, BadMatcher>;

    /// Reads one entry in the list of an event.
    fn entry(&self, event: Event, node: &Node, drafts: &mut Drafts, flaws: &mut Flaws);

    /// Whether an event may have one entry in the place of a list.
    fn takes_one(&self) -> bool;

    /// Whether events may stand at the top of a file, without `hooks` around them.
    fn may_leave_out_hooks(&self) -> bool;

    /// Whether copies of a rule are one.
    fn merges_copies(&self) -> bool;

    /// Whether a first line on stdout may say that the command goes on alone.
    #[cfg_attr(not(feature = "runner"), expect(dead_code, reason = "there is no runner"))]
    fn first_line_counts(&self) -> bool;

    /// The object for standard input.
    fn stdin(&self, occurrence: &Occurrence) -> Value;

    /// What a command or a server said.
    fn answer(&self, event: Event, status: &RunStatus, stdout: &str, stderr: &str) -> Answer;

    /// The JSON Schema of what stands under an event: handlers alone, or groups around them.
    fn schema(&self, event: Event, handler: &Value) -> Value;

    /// The JSON Schema of a handler's own fields beside those that both forms have.
    fn schema_of_handler(&self, event: Event, kind: &str) -> Value;
}

/// What a dialect does.
pub(crate) fn of(dialect: Dialect) -> &'static dyn Format {
    match dialect {
        Dialect::Claude => &claude::Claude,
        Dialect::Agentao => &agentao::Agentao,
    }
}

impl Dialect {
    /// Whether the dialect has this event at all, fired here or not.
    pub fn knows(self, event: Event) -> bool {
        of(self).knows(event)
    }

    /// The types of handlers that run at an event, besides `hook`. Those that are known and refused are not among them.
    pub fn types(self, event: Event) -> &'static [&'static str] {
        of(self).terms(event).types
    }

    /// How long a command may take that says nothing.
    pub fn command_timeout(self, event: Event) -> Duration {
        of(self).terms(event).command
    }
}

impl Matcher {
    /// Reads what a file says under `matcher`; `None` where it says nothing.
    ///
    /// # Errors
    /// [`BadMatcher`] where it cannot be read: then its group selects nothing.
    pub fn read(dialect: Dialect, event: Event, written: Option<&Value>) -> Result<Self, BadMatcher> {
        let Some(written) = written.filter(|value| !value.is_null()) else { return Ok(Self::ALL) };
        if length(written) > WRITTEN_LIMIT {
            return Err(BadMatcher::new(
                format!("the matcher is longer than {WRITTEN_LIMIT} bytes"),
                "write what the names have in common as an expression, as in `mcp__.*`",
            ));
        }
        of(dialect).matcher(event, written).map(Self)
    }
}

impl Occurrence {
    /// The object for a rule's stdin. Its fields are in the order of the alphabet, whatever another crate of the build makes of
    /// maps: a script gets the same bytes from every program.
    pub fn stdin(&self, dialect: Dialect) -> Value {
        let mut object = of(dialect).stdin(self);
        object.sort_all_objects();
        object
    }
}

impl Rule {
    /// What makes two rules of settings files one: the same command with the same arguments, or the same request.
    pub fn duplicate_key(&self) -> Option<String> {
        let merges = of(self.dialect).merges_copies() && matches!(self.action, Action::Command(_) | Action::Http(_));
        merges.then(|| format!("{:?}", self.action))
    }
}

/// Keys that files of settings have beside `hooks`.
const SETTINGS: &[&str] = &["permissions", "env", "model", "statusLine", "enabledPlugins", "disableAllHooks"];

/// Nested where any entry has an inner list, and where the file is one of settings, which are always nested: an inner list
/// that was forgotten must not change what the other rules mean.
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
    // A matcher that is an object is flat and nothing else.
    if !entries().any(|node| node.get("matcher").is_some_and(|matcher| matcher.entries().is_some())) {
        let problem =
            "no entry has an inner `hooks` list, so these are flat handlers (agentao): exit code 2 denies nothing";
        let help = "put handlers into inner lists, `{\"hooks\": [{…}]}`, or name the form: `--dialect agentao`";
        flaws.push(Flaw::warning(first.span.clone(), problem, help));
    }
    Dialect::Agentao
}
