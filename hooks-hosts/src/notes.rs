//! Texts for the model that hooks have no verdict for.

use std::sync::{Arc, Mutex, PoisonError};

/// Takes texts for the model from hooks whose verdict has no place for one, such as those before a call. It is in the
/// context of every event: `cx.state::<HostNotes>()`. Where the host cannot carry a text, it is dropped with a warning.
#[derive(Clone, Debug, Default)]
pub struct HostNotes(Arc<Mutex<Vec<String>>>);

impl HostNotes {
    /// Adds a text for the model.
    pub fn add(&self, text: impl Into<String>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(text.into());
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
