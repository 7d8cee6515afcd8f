use std::fmt;

/// The two forms of a rule file. A file's form is that of its entries: where any entry of an event holds an inner `hooks`
/// list the file is nested, otherwise it is flat.
///
/// The dialect decides how a rule's matcher is read, what it is given on stdin, which answers and exit codes count, how
/// long it may take, and what `prompt` means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    /// Nested groups: the settings files and plugin `hooks/hooks.json` of Claude Code.
    #[default]
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
