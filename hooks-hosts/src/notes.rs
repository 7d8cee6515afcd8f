//! Texts for the model that hooks have no verdict for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Takes what hooks say that their verdict has no place for, such as texts for the model before a call. It is in the
/// context of every event: `cx.state::<HostNotes>()`. Where the host cannot carry a text, it is dropped with a warning.
#[derive(Clone, Debug, Default)]
pub struct HostNotes(Arc<Mutex<Noted>>);

#[derive(Debug, Default)]
pub(crate) struct Noted {
    pub(crate) texts: Vec<String>,
    pub(crate) reasons: Vec<String>,
    pub(crate) blocks: Vec<String>,
    pub(crate) halt: Option<String>,
    pub(crate) warnings: Vec<String>,
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

    /// Says why the arguments of a call are changed.
    pub fn reason(&self, reason: impl Into<String>) {
        put(&mut self.noted().reasons, reason.into());
    }

    /// Says what is wrong with the result of a call: a denial, or a text for the model.
    pub fn block(&self, reason: impl Into<String>) {
        put(&mut self.noted().blocks, reason.into());
    }

    /// Adds a line to the log, such as one about what the host does not hear.
    pub fn warn(&self, warning: impl Into<String>) {
        put(&mut self.noted().warnings, warning.into());
    }

    pub(crate) fn take(&self) -> Noted {
        std::mem::take(&mut *self.noted())
    }

    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Of a call that is judged in parts, each may say the same.
fn put(list: &mut Vec<String>, text: String) {
    if !list.contains(&text) {
        list.push(text);
    }
}
