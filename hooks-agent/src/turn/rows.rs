//! Storing what was said.

use std::sync::Arc;

use hooks_core::data::Message;
use hooks_core::kinds::{AfterCreateMessage, BeforeCreateMessage};

use super::TurnLoop;
use super::end::End;
use crate::event::TurnEvent;
use crate::store::StoreError;

impl TurnLoop {
    /// Stores `message` with the hooks around it, and gives it back as it is stored: so the model reads it on.
    ///
    /// A cancellation does not stop this: what was said is kept, and each hook has its own deadline.
    pub(super) async fn store(&mut self, message: Message) -> Result<Message, End> {
        let row = self.row_of(message).await?;
        self.append(row).await
    }

    /// `message` as it is to be stored.
    pub(super) async fn row_of(&mut self, message: Message) -> Result<Message, End> {
        Ok(self.fire_to_end(&BeforeCreateMessage::new(), message).await?.subject)
    }

    /// Puts `message` into the store and into the view as it is, and says so.
    pub(super) async fn append(&mut self, message: Message) -> Result<Message, End> {
        let parts = Arc::clone(&self.session.harness);
        let rows = parts.store.append(&self.session.conversation, vec![message]).await?;
        let stored = rows.into_iter().next().map(|row| row.message);
        let stored = stored.ok_or_else(|| StoreError::new("it gave no row back for a message"))?;
        self.transcript.lineage.appended(stored.clone());
        self.transcript.view.push(stored.clone());
        self.transcript.added.push(stored.clone());
        self.emit(|| TurnEvent::Stored(stored.clone()));
        self.announce(&AfterCreateMessage::new(stored.clone())).await?;
        Ok(stored)
    }
}
