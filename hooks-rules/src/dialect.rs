use std::fmt;
use std::time::Duration;

use crate::event::Event;

/// The two forms of a rule file. A file's form is that of its entries: where any entry of an event holds an inner `hooks`
/// list the file is nested, otherwise it is flat.
///
/// The dialect decides how a rule's matcher is read, what it is given on stdin, which answers and exit codes count, how
/// long it may take, and what `prompt` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    /// Nested groups: the settings files and plugin `hooks/hooks.json` of Claude Code.
    Claude,
    /// Flat handlers with an object as matcher: the plugin hooks of Agentao.
    Agentao,
}

impl Dialect {
    /// All of them, each at the place that is its number.
    pub const ALL: [Self; 2] = [Self::Claude, Self::Agentao];

    /// The word in files and messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Agentao => "agentao",
        }
    }

    /// Whether the dialect has this event at all, fired here or not.
    pub fn knows(self, event: Event) -> bool {
        match self {
            Self::Claude => true,
            Self::Agentao => matches!(
                event,
                Event::UserPromptSubmit
                    | Event::SessionStart
                    | Event::SessionEnd
                    | Event::PreToolUse
                    | Event::PostToolUse
                    | Event::PostToolUseFailure
                    | Event::Stop
                    | Event::PreCompact
            ),
        }
    }

    /// The types of handlers that run at an event, besides `hook`. Those that are known and refused are not among them.
    pub fn types(self, event: Event) -> &'static [&'static str] {
        match (self, event) {
            (Self::Claude, event) => match event.spec().types.names() {
                names if names.contains(&"prompt") => &["command", "http", "prompt"],
                names if names.contains(&"http") => &["command", "http"],
                _ => &["command"],
            },
            (Self::Agentao, Event::UserPromptSubmit) => &["command", "prompt"],
            (Self::Agentao, _) => &["command"],
        }
    }

    /// How long a command may take that says nothing.
    pub fn command_timeout(self, event: Event) -> Duration {
        match self {
            Self::Claude => event.spec().timeout,
            Self::Agentao => Duration::from_secs(60),
        }
    }

    /// How long a prompt may take that says nothing; a flat one is text and takes no time.
    pub fn prompt_timeout(self) -> Duration {
        Duration::from_secs(30)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl serde::Serialize for Dialect {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
