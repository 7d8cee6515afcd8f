use std::fmt;

use serde::{Deserialize, Serialize};

/// The next message of a turn that continues. Surrounding white space is trimmed, and blank text becomes `go on`, so it
/// is never empty.
///
/// ```
/// use hook_sdk::verdict::FollowUp;
///
/// assert_eq!(FollowUp::from("  ").as_str(), "go on");
/// assert_eq!(FollowUp::from("run the tests\n").to_string(), "run the tests");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct FollowUp(String);

/// The text for a hook that gives none.
const DEFAULT: &str = "go on";

impl FollowUp {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is the default text.
    pub(super) fn is_blank(&self) -> bool {
        self.0 == DEFAULT
    }

    /// Appends `later`. A default text is replaced by the other one.
    pub(super) fn join(&mut self, later: Self) {
        if self.is_blank() {
            *self = later;
        } else if !later.is_blank() {
            self.0.push_str("\n\n");
            self.0.push_str(&later.0);
        }
    }
}

impl Default for FollowUp {
    fn default() -> Self {
        Self(DEFAULT.to_owned())
    }
}

impl From<&str> for FollowUp {
    fn from(text: &str) -> Self {
        let text = text.trim();
        if text.is_empty() { Self::default() } else { Self(text.to_owned()) }
    }
}

impl From<String> for FollowUp {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<FollowUp> for String {
    fn from(follow_up: FollowUp) -> Self {
        follow_up.0
    }
}

impl fmt::Display for FollowUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
