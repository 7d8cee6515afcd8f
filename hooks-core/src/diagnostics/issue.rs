use std::fmt;

/// A [`Problem`](super::Problem), a [`Finding`](super::Finding) or a [`JobError`](crate::worker::JobError). Its
/// `Display` says what is wrong, where, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Issue<K> {
    kind: K,
    about: String,
    text: String,
}

impl<K: Copy> Issue<K> {
    /// Creates a report. For a harness that checks more than its hooks.
    pub fn new(kind: K, about: impl fmt::Display, text: impl Into<String>) -> Self {
        Self { kind, about: about.to_string(), text: text.into() }
    }

    /// The kind of the report. Match on this; the message may change.
    pub fn kind(&self) -> K {
        self.kind
    }

    /// The id of the hook or the name of the plugin that the report concerns. If it concerns neither, the name of the
    /// list or kind. Empty if it concerns the whole program.
    pub fn about(&self) -> &str {
        &self.about
    }
}

/// Formats the position of an entry as a prefix of a message.
pub(crate) fn at(place: Option<String>) -> String {
    place.map(|place| format!("{place}: ")).unwrap_or_default()
}
