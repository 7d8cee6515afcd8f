//! Texts that are never blank.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::data::InputError;

macro_rules! texts {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                text.to_owned().into()
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> Self {
                text.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

texts! {
    /// The reason of a denial, a question or a stop. It is never empty: blank text becomes `no reason given`.
    ///
    /// ```
    /// use hook_sdk::verdict::Reason;
    ///
    /// assert_eq!(Reason::from("  ").as_str(), "no reason given");
    /// assert_eq!(Reason::from("over the limit").to_string(), "over the limit");
    /// ```
    Reason;

    /// The next message of a turn that continues. Surrounding white space is trimmed, and blank text becomes `go on`, so
    /// it is never empty.
    ///
    /// ```
    /// use hook_sdk::verdict::FollowUp;
    ///
    /// assert_eq!(FollowUp::from("  ").as_str(), "go on");
    /// assert_eq!(FollowUp::from("run the tests\n").to_string(), "run the tests");
    /// ```
    FollowUp;
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        if text.trim().is_empty() { Self("no reason given".to_owned()) } else { Self(text) }
    }
}

/// Tells the model which arguments were expected, so that it can correct the call.
impl From<InputError> for Reason {
    fn from(error: InputError) -> Self {
        error.to_string().into()
    }
}

/// The text of a hook that gives none.
const DEFAULT: &str = "go on";

impl From<String> for FollowUp {
    fn from(text: String) -> Self {
        let text = text.trim();
        Self(if text.is_empty() { DEFAULT } else { text }.to_owned())
    }
}

impl Default for FollowUp {
    fn default() -> Self {
        Self(DEFAULT.to_owned())
    }
}

impl FollowUp {
    /// Whether it is the default text.
    pub(super) fn is_default(&self) -> bool {
        self.0 == DEFAULT
    }

    /// Appends `later`. A default text is replaced by the other one.
    pub(super) fn join(&mut self, later: Self) {
        if self.is_default() {
            *self = later;
        } else if !later.is_default() {
            self.0.push_str("\n\n");
            self.0.push_str(&later.0);
        }
    }
}
