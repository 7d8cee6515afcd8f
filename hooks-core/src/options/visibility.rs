use serde::{Deserialize, Serialize};

use crate::words::closed_words;

closed_words! {
    /// Whom what a hook does concerns. Said with `visibility = …`; a harness shows records and plans accordingly.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum Visibility {
        /// The app itself.
        #[default]
        Internal = "internal",
        /// Who looks for a mistake in it.
        Debug = "debug",
        /// The person, where they ask what was done for them.
        UserAudit = "user_audit",
        /// The person, at once.
        UserVisible = "user_visible",
    }
}
