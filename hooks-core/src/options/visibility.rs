use crate::words::closed_words;

closed_words! {
    /// Who sees what a hook does. Set with `visibility = …`; a harness filters records and plans accordingly.
    #[derive(Default, PartialOrd, Ord)]
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
