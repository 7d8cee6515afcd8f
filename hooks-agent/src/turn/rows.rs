//! Storing what was said.

use std::sync::Arc;

use hooks_core::data::{Message, Messages};
use hooks_core::kinds::{AfterCreateMessage, BeforeCreateMessage};

use super::TurnLoop;
use super::end::End;
use super::lineage::SummedUp;
use crate::event::TurnEvent;
use crate::store::{self, Append, Fold, RowJobs, StoreError, Written};

/// How often a change is made again that somebody else's came before.
const CONFLICTS: usize = 8;

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
        let written = self.append_row(message).await?;
        let row = written.rows.into_iter().next();
        let row = row.ok_or_else(|| StoreError::new("it gave no row back for a message"))?;
        let (stored, event) = (row.message.clone(), row.created());
        let transcript = &mut self.transcript;
        transcript.lineage.becomes(&transcript.view);
        transcript.lineage.appended(row, written.version);
        transcript.view.push(stored.clone());
        transcript.added.push(stored.clone());
        self.emit(|| TurnEvent::Stored(stored.clone()));
        self.announce_row(&event).await?;
        Ok(stored)
    }

    async fn append_row(&mut self, message: Message) -> Result<Written, StoreError> {
        let parts = Arc::clone(&self.session.harness);
        for _ in 0..CONFLICTS {
            let mut append = Append::new([message.clone()]).seen(self.transcript.lineage.version());
            append.lease = self.lease;
            append.jobs = RowJobs::due(&*parts.store, &self.hooks, &self.to_end);
            match parts.store.append(&self.session.conversation, append).await {
                Err(StoreError::Conflict) => drop(self.catch_up().await?),
                written => return written,
            }
        }
        Err(StoreError::Conflict)
    }

    /// Says that a row is stored, whose background jobs the store may have with it.
    async fn announce_row(&mut self, event: &AfterCreateMessage) -> Result<(), End> {
        let cx = self.to_end.to_builder().queued_jobs(self.session.harness.store.keeps_jobs()).build();
        let hooks = self.hooks.clone();
        let fired = hooks.fire(&cx, event, ()).await;
        self.note(&hooks, event, fired).map(drop)
    }

    /// Has the conversation read as a compaction that made `rest` of it. Returns the rows that it leaves out without a
    /// summary, which stay stored; nothing is done where another one changed meanwhile what it is made of.
    pub(super) async fn fold(
        &mut self,
        rest: Messages,
        summed: Option<&SummedUp>,
    ) -> Result<Option<Vec<String>>, StoreError> {
        let parts = Arc::clone(&self.session.harness);
        for _ in 0..CONFLICTS {
            let lineage = &mut self.transcript.lineage;
            let folding = lineage.folding(&self.transcript.view, &rest, summed);
            let left_out = folding.left_out.clone();
            let written = if lineage.changes(&folding) {
                let mut fold = Fold::new(lineage.version(), folding.entries.iter().cloned());
                fold.lease = self.lease;
                match parts.store.fold(&self.session.conversation, fold).await {
                    Ok(written) => Some(written),
                    Err(StoreError::Conflict) if self.catch_up().await?.is_empty() => continue,
                    Err(StoreError::Conflict) => return Ok(None),
                    Err(error) => return Err(error),
                }
            } else {
                None
            };
            self.transcript.lineage.folded(folding, &rest, written)?;
            self.transcript.view = rest;
            return Ok(Some(left_out));
        }
        Err(StoreError::Conflict)
    }

    /// Reads what others stored. Returns the rows that are not any more what they were.
    pub(super) async fn catch_up(&mut self) -> Result<Vec<String>, StoreError> {
        let parts = Arc::clone(&self.session.harness);
        let now = store::read(&*parts.store, &self.session.conversation).await?;
        Ok(self.transcript.lineage.catch_up(&mut self.transcript.view, now))
    }
}
