use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use crate::rule::RuleId;

/// What keeps a rule from running for an occurrence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "why")]
#[non_exhaustive]
pub enum SkipReason {
    /// It belongs to another event.
    OtherEvent,
    /// Nothing fires its event.
    NeverFired,
    /// It was disabled.
    Disabled,
    /// Nobody trusts the current content of its file, or of another file of its plugin.
    Untrusted,
    /// A file says `disableAllHooks`: its own, or one of the user.
    SwitchedOff {
        /// The file.
        by: Arc<Path>,
    },
    /// Managed settings say `allowManagedHooksOnly`, and it is in none of them.
    NotManaged {
        /// The file.
        by: Arc<Path>,
    },
    /// Something that it needs is missing or forbidden. If its failure denies, it runs, and denies.
    CannotRun {
        /// Why.
        reason: String,
    },
    /// It has the field `once`, and has run.
    Spent,
    /// Its matcher does not match.
    Matcher {
        /// The values that the matcher was tested against: all names of a tool, or a single value.
        against: Vec<String>,
    },
    /// Its `if` does not match the call.
    Filter {
        /// The `if`.
        filter: String,
    },
    /// It duplicates another rule, which runs.
    SameAs {
        /// The other rule.
        rule: RuleId,
    },
}

impl fmt::Display for SkipReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherEvent => f.write_str("it belongs to another event"),
            Self::NeverFired => f.write_str("nothing here fires its event"),
            Self::Disabled => f.write_str("it is disabled"),
            Self::Untrusted => f.write_str("nobody trusts its file as it is now"),
            Self::SwitchedOff { by } => write!(f, "`disableAllHooks` in {} switches it off", by.display()),
            Self::NotManaged { by } => {
                write!(f, "`allowManagedHooksOnly` in {} lets only managed rules run", by.display())
            }
            Self::CannotRun { reason } => f.write_str(reason),
            Self::Spent => f.write_str("it has `once`, and has run"),
            Self::Matcher { against } if against.is_empty() => {
                f.write_str("its matcher needs a value, but this event has none")
            }
            Self::Matcher { against } => write!(f, "its matcher does not select `{}`", against.join("` or `")),
            Self::Filter { filter } => write!(f, "its `if` does not select this call: `{filter}`"),
            Self::SameAs { rule } => write!(f, "it duplicates {rule}, which runs"),
        }
    }
}
