use std::fmt;

use serde::{Deserialize, Serialize};

use crate::data::InputError;

/// The reason of a denial, a question or a stop. It is never empty: blank text becomes `no reason given`.
///
/// ```
/// use hook_sdk::verdict::Reason;
///
/// assert_eq!(Reason::from("  ").as_str(), "no reason given");
/// assert_eq!(Reason::from("over the limit").to_string(), "over the limit");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Reason(String);

impl Reason {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        if text.trim().is_empty() { Self("no reason given".to_owned()) } else { Self(text) }
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// Tells the model which arguments were expected, so that it can correct the call.
impl From<InputError> for Reason {
    fn from(error: InputError) -> Self {
        error.to_string().into()
    }
}

impl From<Reason> for String {
    fn from(reason: Reason) -> Self {
        reason.0
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
