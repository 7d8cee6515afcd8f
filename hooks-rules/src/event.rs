//! The events of rule files: what their matchers are tested against, and which effects an answer can have.

mod table;

use std::fmt;
use std::time::Duration;

pub use table::Event;

/// The properties of an event.
#[derive(Debug)]
#[non_exhaustive]
pub struct EventSpec {
    /// The event.
    pub event: Event,
    /// Its name on the wire.
    pub name: &'static str,
    /// The kind that fires the event. `None` if no kind does; its rules then run only through `Rules::fire`.
    pub kind: Option<&'static str>,
    /// The field of stdin that a matcher is tested against. `None` if every rule runs.
    pub matched: Option<&'static str>,
    /// The effect of exit code 2.
    pub exit2: Exit2,
    /// The decision that an answer can contain.
    pub decision: DecisionForm,
    /// The effect of `continue: false`.
    pub stop: FieldEffect,
    /// Who reads `systemMessage`.
    pub message: Audience,
    /// The supported members of `hookSpecificOutput`. `None` if the event does not support it.
    pub output: Option<&'static [&'static str]>,
    /// The types of handlers that a nested file can use.
    pub types: HandlerTypes,
    /// The default timeout of a command in a nested file.
    pub timeout: Duration,
    /// Whether plain text on stdout is added to the model's context.
    pub text_is_context: bool,
}

/// The effect of exit code 2 of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exit2 {
    /// Denies the action. Stderr is the reason.
    Deny,
    /// The model reads stderr. Nothing is undone.
    Feedback,
    /// The turn continues, with stderr as the reason.
    Continue,
    /// The turn ends before the next model call.
    Stop,
    /// The person reads stderr.
    Notice,
    /// No effect.
    Ignored,
}

/// The decision that a JSON answer can contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecisionForm {
    /// `permissionDecision`, or the older `decision`.
    Permission,
    /// `hookSpecificOutput.decision.behavior`.
    Behavior,
    /// `decision: "block"`, with the effect of exit code 2.
    Block,
    /// None.
    Nothing,
}

/// Whether a top-level field has an effect at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldEffect {
    /// It has an effect.
    Counts,
    /// It is ignored.
    Discarded,
    /// The contract does not specify it. It is ignored here.
    NotStated,
}

/// Who reads `systemMessage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Audience {
    /// The person.
    Person,
    /// The model.
    Model,
    /// Nobody.
    Nobody,
    /// The contract does not specify it. Here, the person reads it.
    NotStated,
}

/// The types of handlers that an event supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HandlerTypes {
    /// `command`, `http`, `mcp_tool`, `prompt`, `agent`.
    All,
    /// `command`, `http`, `mcp_tool`, `prompt`.
    NoAgent,
    /// `command`, `http`, `mcp_tool`.
    NoModel,
    /// `command`, `mcp_tool`.
    Local,
    /// `command`.
    Command,
}

impl HandlerTypes {
    /// The types, as they are written in a file.
    pub const fn names(self) -> &'static [&'static str] {
        match self {
            Self::All => &["command", "http", "mcp_tool", "prompt", "agent"],
            Self::NoAgent => &["command", "http", "mcp_tool", "prompt"],
            Self::NoModel => &["command", "http", "mcp_tool"],
            Self::Local => &["command", "mcp_tool"],
            Self::Command => &["command"],
        }
    }
}

impl Event {
    /// The properties of the event.
    pub fn spec(self) -> &'static EventSpec {
        &table::EVENTS[self as usize]
    }

    /// All events.
    pub fn all() -> impl Iterator<Item = Self> {
        table::EVENTS.iter().map(|spec| spec.event)
    }

    /// The event with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|event| event.as_str() == name)
    }

    /// The name in rule files and on stdin.
    pub fn as_str(self) -> &'static str {
        self.spec().name
    }

    /// The name in snake case: `pre_tool_use`.
    pub fn snake_case(self) -> String {
        let mut word = String::new();
        for letter in self.as_str().chars() {
            if letter.is_ascii_uppercase() && !word.is_empty() {
                word.push('_');
            }
            word.push(letter.to_ascii_lowercase());
        }
        word
    }

    /// The id of the hook that runs its rules, such as `rules_pre_tool_use`.
    pub fn hook_id(self) -> String {
        format!("rules_{}", self.snake_case())
    }

    /// Whether the event concerns a tool call, so that `if` can be used.
    pub fn is_of_a_tool(self) -> bool {
        self.spec().matched == Some("tool_name")
    }

    /// The event that the author of `name` probably meant: different case, the name in another system, or a typo.
    pub fn meant_by(name: &str) -> Option<Self> {
        // Such a long name is not a typo, and the comparison would take long.
        if name.chars().nth(64).is_some() {
            return None;
        }
        let plain = |name: &str| name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
        let word = plain(name);
        let elsewhere = match word.as_str() {
            "beforetool" | "beforetoolcall" | "beforeshellexecution" | "beforemcpexecution" => Some(Self::PreToolUse),
            "aftertool" | "aftertoolcall" | "afterfileedit" => Some(Self::PostToolUse),
            "beforesubmitprompt" | "beforeagent" => Some(Self::UserPromptSubmit),
            "precompress" => Some(Self::PreCompact),
            _ => None,
        };
        elsewhere.or_else(|| Self::all().find(|event| plain(event.as_str()) == word)).or_else(|| {
            let near = |event: &Self| strsim::jaro_winkler(event.as_str(), name);
            Self::all().filter(|event| near(event) > 0.88).max_by(|a, b| near(a).total_cmp(&near(b)))
        })
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl serde::Serialize for Event {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
