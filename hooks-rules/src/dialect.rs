use std::fmt;

/// The dialects of rule files. The dialect of a file is detected from its entries: if any entry of an event contains an
/// inner `hooks` list, the file is nested, otherwise it is flat.
///
/// The dialect determines how a matcher is interpreted, the format of stdin, which answers and exit codes have an
/// effect, the default timeouts, and the meaning of `prompt`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    /// Nested groups: the settings files and the `hooks/hooks.json` of plugins of Claude Code.
    #[default]
    Claude,
    /// Flat handlers with an object as matcher: the hooks of plugins of Agentao.
    Agentao,
}

impl Dialect {
    /// All dialects. Each is at the index that equals its discriminant.
    pub const ALL: [Self; 2] = [Self::Claude, Self::Agentao];

    /// The name used in files and messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Agentao => "agentao",
        }
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
