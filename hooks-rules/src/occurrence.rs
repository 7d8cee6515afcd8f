//! The input of a rule: an occurrence of an event, in the format of its dialect.

use serde_json::{Map, Value};

use crate::event::Event;

/// An occurrence of an event, with the field names of the contract.
///
/// ```
/// use hooks_rules::{Dialect, Event, Occurrence};
/// use serde_json::json;
///
/// let mut call = Occurrence::new(Event::PreToolUse);
/// call.session = "s-1".into();
/// call.set("tool_name", "Bash").set("tool_input", json!({"command": "ls"})).set("tool_use_id", "call_1");
/// assert_eq!(call.stdin(Dialect::Claude)["tool_input"]["command"], "ls");
/// assert_eq!(call.stdin(Dialect::Agentao)["data"]["toolName"], "Bash");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Occurrence {
    /// The event.
    pub event: Event,
    /// The session's id.
    pub session: String,
    /// The path of the transcript. Empty if there is none.
    pub transcript: String,
    /// The working directory.
    pub cwd: String,
    /// The folder of its project, if the rules answer for several.
    pub(crate) project: Option<String>,
    /// Whether it is the replay of a recorded occurrence, in which background runs are not started.
    pub replay: bool,
    /// The permission mode, as the harness calls it. Only sent at the events that have one.
    pub permission_mode: Option<String>,
    /// The id of the prompt that the turn answers. Not set for the first prompt and within sub-agents.
    pub prompt: Option<String>,
    /// The id and type of the sub-agent, within one.
    pub agent: Option<(String, String)>,
    /// The harness's own word for the matched value, if it differs from the contract's. A matcher can use either.
    pub(crate) own_word: Option<String>,
    /// The fields of the event.
    pub(crate) fields: Map<String, Value>,
    /// What else is known about the occurrence. A dialect sends the parts that its contract has.
    pub(crate) details: Map<String, Value>,
    /// Fields for nested rules that the app passes through.
    pub(crate) passed: Map<String, Value>,
}

impl Occurrence {
    /// Creates an occurrence of `event` without any fields.
    pub fn new(event: Event) -> Self {
        Self {
            event,
            session: String::new(),
            transcript: String::new(),
            cwd: String::new(),
            project: None,
            replay: false,
            permission_mode: None,
            prompt: None,
            agent: None,
            own_word: None,
            fields: Map::new(),
            details: Map::new(),
            passed: Map::new(),
        }
    }

    /// Sets a field of the event.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) -> &mut Self {
        self.fields.insert(name.to_owned(), value.into());
        self
    }

    /// Sets something else that is known about the occurrence, such as `turn_end_reason`. The rules of a dialect get it if
    /// the contract of the dialect has it, and [`EventSummary`](crate::EventSummary) has it too.
    pub fn set_detail(&mut self, name: &str, value: impl Into<Value>) -> &mut Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// Passes these fields to nested rules unchanged. They replace or extend the fields that this crate sets.
    pub fn pass(&mut self, fields: Map<String, Value>) -> &mut Self {
        self.passed.extend(fields);
        self
    }

    /// Adds the fields of another occurrence.
    #[cfg(feature = "runner")]
    pub(crate) fn with(mut self, other: Self) -> Self {
        let said = |text: String, known: &mut String| {
            if !text.is_empty() {
                *known = text;
            }
        };
        said(other.session, &mut self.session);
        said(other.transcript, &mut self.transcript);
        said(other.cwd, &mut self.cwd);
        self.project = other.project.or(self.project);
        self.permission_mode = other.permission_mode.or(self.permission_mode);
        self.prompt = other.prompt.or(self.prompt);
        self.agent = other.agent.or(self.agent);
        self.own_word = other.own_word.or(self.own_word);
        self.fields.extend(other.fields);
        self.details.extend(other.details);
        self.passed.extend(other.passed);
        self
    }

    /// A field of the event.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }

    /// A field of the event, or a detail.
    #[cfg(feature = "runner")]
    pub(crate) fn known(&self, name: &str) -> Option<&Value> {
        self.fields.get(name).or_else(|| self.details.get(name))
    }

    /// The value that a matcher is tested against. `None` if the event has none.
    pub fn matched(&self) -> Option<&str> {
        let field = self.event.spec().matched?;
        if field == "agent_type" {
            return self.agent.as_ref().map(|(_, kind)| kind.as_str());
        }
        let value = self.fields.get(field)?.as_str()?;
        let name = value.rsplit('/').next().unwrap_or(value);
        Some(if self.event == Event::FileChanged { name } else { value })
    }
}
