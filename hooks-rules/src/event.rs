//! The events of the wire: what their rules are matched against, and what an answer can do.

mod table;

use std::fmt;
use std::time::Duration;

pub use table::Event;

/// What is known of one event.
#[derive(Debug)]
#[non_exhaustive]
pub struct EventSpec {
    /// The event.
    pub event: Event,
    /// Its name on the wire.
    pub name: &'static str,
    /// The kind that carries it; `None` where no kind here does, so that its rules never run.
    pub kind: Option<&'static str>,
    /// The field of stdin that a matcher is held against; `None` where every rule runs.
    pub matched: Option<&'static str>,
    /// What exit code 2 does.
    pub exit2: Exit2,
    /// Which decision an answer may hold.
    pub decision: Decides,
    /// What `continue: false` does.
    pub stop: Power,
    /// What becomes of `systemMessage`.
    pub message: Shown,
    /// The members of `hookSpecificOutput`; `None` where the event may not have one.
    pub output: Option<&'static [&'static str]>,
    /// The types of handlers that a nested file may use here.
    pub types: Types,
    /// How long a command of a nested file may take.
    pub timeout: Duration,
    /// Whether plain text on stdout is context for the model.
    pub text_is_context: bool,
}

/// What exit code 2 of a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Exit2 {
    /// What the event announces does not happen; stderr is the reason.
    Deny,
    /// The model reads stderr; nothing is undone.
    Feedback,
    /// The turn goes on, with stderr as the reason.
    Continue,
    /// The turn ends before the model is called again.
    Stop,
    /// The person reads stderr.
    Notice,
    /// Nothing.
    Ignored,
}

/// Which decision an answer in JSON may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decides {
    /// `permissionDecision`, or the older `decision`.
    Permission,
    /// `hookSpecificOutput.decision.behavior`.
    Behavior,
    /// `decision: "block"` with the effect of exit code 2.
    Block,
    /// None.
    Nothing,
}

/// Whether a top-level field has power at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Power {
    /// It counts.
    Counts,
    /// It is dropped.
    Discarded,
    /// The contract does not say; here it is dropped.
    NotStated,
}

/// Who reads `systemMessage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shown {
    /// The person.
    Person,
    /// The model.
    Model,
    /// Nobody.
    Nobody,
    /// The contract does not say; here the person.
    NotStated,
}

/// The types of handlers an event takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Types {
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

impl Types {
    /// The types, in the words of a file.
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
    /// What is known of it.
    pub fn spec(self) -> &'static EventSpec {
        &table::EVENTS[self as usize]
    }

    /// All events.
    pub fn all() -> impl Iterator<Item = Self> {
        table::EVENTS.iter().map(|spec| spec.event)
    }

    /// The event of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|event| event.as_str() == name)
    }

    /// The name on the wire.
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

    /// The id of the hook that runs its rules: `rules_pre_tool_use`.
    pub fn hook_id(self) -> String {
        format!("rules_{}", self.snake_case())
    }

    /// Whether it is about a call of a tool, so that `if` can be held against it.
    pub fn is_of_a_tool(self) -> bool {
        self.spec().matched == Some("tool_name")
    }

    /// The event that somebody who wrote `name` likely meant: another case, another system's word, or a slip.
    pub fn meant_by(name: &str) -> Option<Self> {
        // Whoever wrote so much did not mean any of them, and likeness takes time.
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
