//! What a rule is given: one occurrence of an event, in the envelope of its dialect.

use serde_json::{Map, Value, json};

use crate::dialect::Dialect;
use crate::event::Event;

/// One occurrence of an event, in the names of the wire.
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
    /// The file with the conversation; empty where there is none.
    pub transcript: String,
    /// The current folder.
    pub cwd: String,
    /// Whether it is the replay of a recorded one, in which nothing is started that nobody waits for.
    pub replay: bool,
    /// The permission mode, in a word of the harness; sent at the events that have one.
    pub permission_mode: Option<String>,
    /// The id of the prompt that the turn answers, after the first one and outside sub-agents.
    pub prompt: Option<String>,
    /// The sub-agent's id and type, within one.
    pub agent: Option<(String, String)>,
    /// The harness's own word for what matchers are held against, where it is not the contract's; either may be written.
    pub(crate) own_word: Option<String>,
    /// The fields of the event.
    fields: Map<String, Value>,
    /// Fields that only a flat rule is given: to send more than the contract says changes what scripts do.
    flat: Map<String, Value>,
    /// Fields that a nested rule is given as somebody else wrote them.
    passed: Map<String, Value>,
    /// What is known of it and no rule is given.
    #[cfg(feature = "runner")]
    noted: Map<String, Value>,
}

/// The events that say nothing of the permission mode.
const NO_MODE: &[Event] = &[
    Event::SessionStart,
    Event::SessionEnd,
    Event::Setup,
    Event::PreCompact,
    Event::PostCompact,
    Event::Notification,
    Event::SubagentStart,
    Event::ConfigChange,
    Event::CwdChanged,
    Event::FileChanged,
    Event::DirectoryAdded,
    Event::WorktreeCreate,
    Event::WorktreeRemove,
    Event::InstructionsLoaded,
    Event::StopFailure,
    Event::MessageDisplay,
];

impl Occurrence {
    /// An occurrence of `event` of which nothing is known yet.
    pub fn new(event: Event) -> Self {
        Self {
            event,
            session: String::new(),
            transcript: String::new(),
            cwd: String::new(),
            replay: false,
            permission_mode: None,
            prompt: None,
            agent: None,
            own_word: None,
            fields: Map::new(),
            flat: Map::new(),
            passed: Map::new(),
            #[cfg(feature = "runner")]
            noted: Map::new(),
        }
    }

    /// Sets a field of the event.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) -> &mut Self {
        self.fields.insert(name.to_owned(), value.into());
        self
    }

    /// Sets a field that only flat rules are given.
    pub fn set_flat(&mut self, name: &str, value: impl Into<Value>) -> &mut Self {
        self.flat.insert(name.to_owned(), value.into());
        self
    }

    /// Notes what no rule is given, for [`RulesFired`](crate::RulesFired).
    #[cfg(feature = "runner")]
    pub(crate) fn note(&mut self, name: &str, value: impl Into<Value>) {
        self.noted.insert(name.to_owned(), value.into());
    }

    /// Passes these fields on to nested rules as they are, in the place of what is known here or beside it.
    pub fn pass(&mut self, fields: Map<String, Value>) -> &mut Self {
        self.passed.extend(fields);
        self
    }

    /// The same with what another one says.
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
        self.permission_mode = other.permission_mode.or(self.permission_mode);
        self.prompt = other.prompt.or(self.prompt);
        self.agent = other.agent.or(self.agent);
        self.own_word = other.own_word.or(self.own_word);
        self.fields.extend(other.fields);
        self.flat.extend(other.flat);
        self.passed.extend(other.passed);
        self
    }

    /// A field of the event.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }

    /// A field of the event, whichever form has it.
    #[cfg(feature = "runner")]
    pub(crate) fn known(&self, name: &str) -> Option<&Value> {
        self.fields.get(name).or_else(|| self.flat.get(name)).or_else(|| self.noted.get(name))
    }

    /// The value that a matcher is held against; `None` where the event has none.
    pub fn matched(&self) -> Option<&str> {
        let field = self.event.spec().matched?;
        if field == "agent_type" {
            return self.agent.as_ref().map(|(_, kind)| kind.as_str());
        }
        let value = self.fields.get(field)?.as_str()?;
        let name = value.rsplit('/').next().unwrap_or(value);
        Some(if self.event == Event::FileChanged { name } else { value })
    }

    /// The object for a rule's stdin.
    pub fn stdin(&self, dialect: Dialect) -> Value {
        match (dialect, self.event) {
            (Dialect::Claude, _) => self.nested(),
            (Dialect::Agentao, Event::Stop | Event::PreCompact) => self.flat(),
            (Dialect::Agentao, _) => self.enveloped(),
        }
    }

    fn nested(&self) -> Value {
        let mut object = Map::new();
        object.insert("session_id".to_owned(), self.session.clone().into());
        object.insert("transcript_path".to_owned(), self.transcript.clone().into());
        object.insert("cwd".to_owned(), self.cwd.clone().into());
        object.insert("hook_event_name".to_owned(), self.event.as_str().into());
        if let Some(prompt) = &self.prompt {
            object.insert("prompt_id".to_owned(), prompt.clone().into());
        }
        if !NO_MODE.contains(&self.event) {
            let mode = self.permission_mode.as_deref().unwrap_or("default");
            object.insert("permission_mode".to_owned(), mode.into());
        }
        if let Some((id, kind)) = &self.agent {
            object.insert("agent_id".to_owned(), id.clone().into());
            object.insert("agent_type".to_owned(), kind.clone().into());
        }
        object.extend(self.fields.clone());
        object.extend(self.passed.clone());
        Value::Object(object)
    }

    fn flat(&self) -> Value {
        let mut object = Map::new();
        object.insert("hook_event_name".to_owned(), self.event.as_str().into());
        object.insert("session_id".to_owned(), self.session.clone().into());
        let transcript = (!self.transcript.is_empty()).then(|| self.transcript.clone());
        object.insert("transcript_path".to_owned(), transcript.into());
        object.insert("cwd".to_owned(), self.cwd.clone().into());
        let mode = self.permission_mode.as_deref().unwrap_or("workspace-write");
        object.insert("permission_mode".to_owned(), mode.into());
        object.extend(self.fields.clone());
        if self.event == Event::PreCompact {
            // Never null in this dialect.
            object.entry("custom_instructions").and_modify(|text| {
                if text.is_null() {
                    *text = "".into();
                }
            });
        }
        object.extend(self.flat.clone());
        Value::Object(object)
    }

    fn enveloped(&self) -> Value {
        let names: &[(&str, &str)] = match self.event {
            Event::UserPromptSubmit => &[("prompt", "userMessage")],
            Event::PreToolUse => &[("tool_name", "toolName"), ("tool_input", "toolInput")],
            Event::PostToolUse => {
                &[("tool_name", "toolName"), ("tool_input", "toolInput"), ("tool_response", "toolOutput")]
            }
            Event::PostToolUseFailure => &[("tool_name", "toolName"), ("tool_input", "toolInput"), ("error", "error")],
            _ => &[],
        };
        let mut data: Map<String, Value> =
            names.iter().filter_map(|(own, wire)| Some(((*wire).to_owned(), self.fields.get(*own)?.clone()))).collect();
        data.insert("sessionId".to_owned(), self.session.clone().into());
        if !self.event.is_of_a_tool() {
            data.insert("cwd".to_owned(), self.cwd.clone().into());
        }
        json!({ "event": self.event.as_str(), "data": data })
    }
}
