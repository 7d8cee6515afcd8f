use std::fmt;

use serde::{Deserialize, Serialize};

use crate::data::InputError;

/// Why something was refused or stopped. Never empty: blank text becomes `no reason given`, so that a refusal stays a
/// refusal whoever wrote it.
///
/// ```
/// use hooks_core::verdict::Reason;
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

/// What was expected of the arguments of a call, for the model to write them anew.
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
