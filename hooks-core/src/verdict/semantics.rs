//! What a dispatch does with the answers of hooks.

use std::fmt;

/// What a dispatch does with its hooks' answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Semantics {
    /// The subject flows through; nothing is decided.
    Transform,
    /// A transform with a [`Permission`](crate::verdict::Permission).
    Gate,
    /// The answer says how the turn goes on.
    Control,
    /// Hooks only add contributions.
    Contribute,
    /// Hooks only observe.
    Event,
}

impl Semantics {
    /// The word used in messages and in a plan's display.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transform => "transform",
            Self::Gate => "gate",
            Self::Control => "control",
            Self::Contribute => "contribute",
            Self::Event => "event",
        }
    }
}

impl fmt::Display for Semantics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
