//! Texts for the model that hooks have no verdict for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Takes texts for the model from hooks whose verdict has no place for one, such as those before a call. It is in the
/// context of every event: `cx.state::<HostNotes>()`. Where the host cannot carry a text, it is dropped with a warning.
#[derive(Clone, Debug, Default)]
pub struct HostNotes(Arc<Mutex<Noted>>);

#[derive(Debug, Default)]
struct Noted {
    texts: Vec<String>,
    halt: Option<String>,
}

impl HostNotes {
    /// Adds a text for the model.
    pub fn add(&self, text: impl Into<String>) {
        self.noted().texts.push(text.into());
    }

    /// Ends a session at its start, where the host can do that.
    pub fn halt(&self, reason: impl Into<String>) {
        self.noted().halt.get_or_insert(reason.into());
    }

    pub(crate) fn take(&self) -> (Vec<String>, Option<String>) {
        let noted = std::mem::take(&mut *self.noted());
        (noted.texts, noted.halt)
    }

    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
