use std::fmt;

/// A [`Problem`](super::Problem), a [`Finding`](super::Finding) or a [`JobError`](crate::worker::JobError): its `Display`
/// says what it is, where, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Reported<K> {
    kind: K,
    about: String,
    text: String,
}

impl<K: Copy> Reported<K> {
    pub(crate) fn new(kind: K, about: impl fmt::Display, text: impl Into<String>) -> Self {
        Self { kind, about: about.to_string(), text: text.into() }
    }

    /// What it is, for code; the words are for people.
    pub fn kind(&self) -> K {
        self.kind
    }

    /// The id of the hook or the name of the plugin that it is about; of a list or a kind where it is about neither, and
    /// empty where it is about the program.
    pub fn about(&self) -> &str {
        &self.about
    }
}

/// Where an entry stands, in front of what is said of it.
pub(crate) fn at(place: Option<String>) -> String {
    place.map(|place| format!("{place}: ")).unwrap_or_default()
}
