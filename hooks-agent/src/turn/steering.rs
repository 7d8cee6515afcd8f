//! Messages that join a turn under way.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hooks_core::data::Message;

use super::TurnLoop;
use super::end::End;

/// What waits for the next step of a turn; `None` once there is none.
#[derive(Clone, Debug)]
pub(super) struct Steering(Arc<Mutex<Option<Vec<Message>>>>);

impl Default for Steering {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(Some(Vec::new()))))
    }
}

impl Steering {
    fn lock(&self) -> MutexGuard<'_, Option<Vec<Message>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn push(&self, message: Message) -> bool {
        self.lock().as_mut().map(|waiting| waiting.push(message)).is_some()
    }

    /// What waits.
    fn take(&self) -> Vec<Message> {
        self.lock().as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Takes no more, unless something waits: then the turn has one more step.
    pub(super) fn close_if_empty(&self) -> bool {
        let mut waiting = self.lock();
        if waiting.as_ref().is_some_and(|waiting| !waiting.is_empty()) {
            return false;
        }
        *waiting = None;
        true
    }

    /// Takes no more.
    pub(super) fn close(&self) {
        *self.lock() = None;
    }
}

impl TurnLoop {
    /// Stores what joined the turn since its last step.
    pub(super) async fn join_steering(&mut self) -> Result<(), End> {
        for message in self.steering.take() {
            if let Some(inputs) = &mut self.inputs {
                inputs.steered += 1;
            }
            self.store(message).await?;
        }
        Ok(())
    }
}
