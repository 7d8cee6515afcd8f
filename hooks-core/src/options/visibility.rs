use std::fmt;

use serde::{Deserialize, Serialize};

/// Whom what a hook does concerns. Said with `visibility = …`; a harness shows records and plans accordingly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Visibility {
    /// The app itself.
    #[default]
    Internal,
    /// Who looks for a mistake in it.
    Debug,
    /// The person, where they ask what was done for them.
    UserAudit,
    /// The person, at once.
    UserVisible,
}

impl Visibility {
    /// The word in an attribute and in a plan.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Internal => "internal",
            Self::Debug => "debug",
            Self::UserAudit => "user_audit",
            Self::UserVisible => "user_visible",
        }
    }
}

impl fmt::Display for Visibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
