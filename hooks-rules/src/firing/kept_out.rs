use std::fmt;

use serde::Serialize;

use crate::rule::RuleId;

/// What keeps a rule from running for an occurrence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "why")]
#[non_exhaustive]
pub enum KeptOut {
    /// It is a rule of another event.
    OtherEvent,
    /// Nothing here fires its event.
    NeverFired,
    /// Somebody disabled it.
    Disabled,
    /// It was to run once, and has.
    Spent,
    /// Its matcher does not select the occurrence.
    Matcher {
        /// What the matcher was held against: every name of a tool, or the one value.
        against: Vec<String>,
    },
    /// Its `if` does not select the call.
    Filter {
        /// The `if`.
        filter: String,
    },
    /// Another rule says the same, and runs.
    SameAs {
        /// That rule.
        rule: RuleId,
    },
}

impl fmt::Display for KeptOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherEvent => f.write_str("it is a rule of another event"),
            Self::NeverFired => f.write_str("nothing here fires its event"),
            Self::Disabled => f.write_str("it is disabled"),
            Self::Spent => f.write_str("it was to run once, and has"),
            Self::Matcher { against } if against.is_empty() => {
                f.write_str("its matcher selects by a value, and there is none here")
            }
            Self::Matcher { against } => write!(f, "its matcher does not select `{}`", against.join("` or `")),
            Self::Filter { filter } => write!(f, "its `if` does not select this call: `{filter}`"),
            Self::SameAs { rule } => write!(f, "it says the same as {rule}, which runs"),
        }
    }
}
