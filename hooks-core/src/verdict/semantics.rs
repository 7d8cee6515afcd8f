//! What a dispatch does with the answers of hooks.

use serde::Serialize;

use crate::words::closed_words;

closed_words! {
    /// What a dispatch does with its hooks' answers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum Semantics {
        /// The subject flows through; nothing is decided.
        Transform = "transform",
        /// A transform with a [`Permission`](crate::verdict::Permission).
        Gate = "gate",
        /// The answer says how the turn goes on.
        Control = "control",
        /// Hooks only add contributions.
        Contribute = "contribute",
        /// Hooks only observe.
        Event = "event",
    }
}
