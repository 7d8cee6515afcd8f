//! The semantics of kinds.

use crate::words::closed_words;

closed_words! {
    /// How a dispatch treats the answers of its hooks.
    pub enum Semantics {
        /// Hooks rewrite the subject and decide nothing.
        Transform = "transform",
        /// Hooks rewrite the subject and return a [`Permission`](crate::verdict::Permission).
        Gate = "gate",
        /// Hooks decide how the turn continues.
        Control = "control",
        /// Hooks only add contributions.
        Contribute = "contribute",
        /// Hooks only observe.
        Event = "event",
    }
}
