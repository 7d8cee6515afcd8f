use serde::{Deserialize, Serialize};

use crate::words::closed_words;

closed_words! {
    /// Who sees what a hook does. Set with `visibility = …`; a harness filters records and plans accordingly.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum Visibility {
        /// Only the app.
        #[default]
        Internal = "internal",
        /// Developers who debug the app.
        Debug = "debug",
        /// The person, on request.
        UserAudit = "user_audit",
        /// The person, immediately.
        UserVisible = "user_visible",
    }
}
