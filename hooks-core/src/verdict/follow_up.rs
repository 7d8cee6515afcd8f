use std::fmt;

use serde::{Deserialize, Serialize};

/// What a turn goes on with: its next message. Never empty: blank text becomes `go on`; white space around a text goes.
///
/// ```
/// use hooks_core::verdict::FollowUp;
///
/// assert_eq!(FollowUp::from("  ").as_str(), "go on");
/// assert_eq!(FollowUp::from("run the tests\n").to_string(), "run the tests");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct FollowUp(String);

/// What stands where a hook said nothing.
const DEFAULT: &str = "go on";

impl FollowUp {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a hook had nothing to say but that it goes on.
    pub(super) fn is_blank(&self) -> bool {
        self.0 == DEFAULT
    }

    /// Puts `later` behind it; of two of which one says nothing, the other stays.
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
