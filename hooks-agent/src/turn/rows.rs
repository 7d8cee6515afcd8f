//! Stores messages.

use std::sync::Arc;

use hook_sdk::data::{Message, Messages};
use hook_sdk::kinds::{AfterCreateMessage, BeforeCreateMessage};

use super::TurnLoop;
use super::end::End;
use super::lineage::SummedUp;
use crate::event::TurnEvent;
use crate::store::{self, Append, Fold, Row, RowJobs, StoreError, Written};

/// How often a change is retried after a version conflict.
const CONFLICTS: usize = 8;

impl TurnLoop {
    /// Stores `message` with the hooks around it. Returns the stored message, which the model reads from then on.
    ///
    /// A cancellation does not stop this, so that messages are not lost. Each hook has its own deadline.
    pub(super) async fn store(&mut self, message: Message) -> Result<Message, End> {
        let row = self.row_of(message).await?;
        self.append(row).await
    }

    /// Runs the hooks before a message is stored, and returns what they make of `message`.
    pub(super) async fn row_of(&mut self, message: Message) -> Result<Message, End> {
        self.fire_before_row(&BeforeCreateMessage::new(), message).await
    }

    /// Stores `message` unchanged, adds it to the view, and fires the hooks after that.
    pub(super) async fn append(&mut self, message: Message) -> Result<Message, End> {
        self.append_with(message, None).await
    }

    /// Like [`append`](Self::append), with another message: both are stored, or none is.
    pub(super) async fn append_with(&mut self, message: Message, other: Option<Message>) -> Result<Message, End> {
        let messages: Vec<_> = [message].into_iter().chain(other).collect();
        let written = self.append_rows(&messages).await?;
        if written.rows.len() < messages.len() {
            return Err(StoreError::new("it returned no row for a message").into());
        }
        let events: Vec<_> = written.rows.iter().map(Row::created).collect();
        let transcript = &mut self.transcript;
        transcript.lineage.becomes(&transcript.view);
        let mut first = None;
        for row in written.rows {
            let stored = row.message.clone();
            transcript.lineage.appended(row, written.version);
            transcript.view.push(stored.clone());
            transcript.added.push(stored.clone());
            first.get_or_insert(stored);
        }
        let mut announced = Ok(());
        for event in events {
            self.emit(|| TurnEvent::Stored(event.message.clone()));
            announced = announced.and(self.announce_row(&event).await);
        }
        announced?;
        first.ok_or_else(|| StoreError::new("it returned no row for a message").into())
    }

    async fn append_rows(&mut self, messages: &[Message]) -> Result<Written, StoreError> {
        let parts = Arc::clone(&self.session.harness);
        for _ in 0..CONFLICTS {
            let mut append = Append::new(messages.iter().cloned()).seen(self.transcript.lineage.version());
            append.lease = self.lease;
            append.jobs = RowJobs::due(&*parts.store, &self.hooks, &self.to_end);
            match parts.store.append(&self.session.conversation, append).await {
                Err(StoreError::Conflict) => drop(self.catch_up().await?),
                written => return written,
            }
        }
        Err(StoreError::Conflict)
    }

    /// Fires `after_create_message` for a stored row. Its background jobs may already be in the store.
    async fn announce_row(&mut self, event: &AfterCreateMessage) -> Result<(), End> {
        let cx = self.to_end.to_builder().queued_jobs(self.session.harness.store.keeps_jobs()).build();
        let hooks = self.hooks.clone();
        let fired = hooks.fire(&cx, event, ()).await;
        self.note(&hooks, event, fired).map(drop)
    }

    /// Folds the stored conversation after a compaction to `rest`. Returns the ids of the rows that are hidden without
    /// a summary, which stay stored. Does nothing if others have changed a row that the compaction used,
    /// or if a call would not keep its result.
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
                if !lineage.keeps_calls(&folding) {
                    return Ok(None);
                }
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

    /// Reads the ids of the calls in rows that a summary replaces, because a model may use such an id again.
    pub(super) async fn read_folded_calls(&mut self) -> Result<(), StoreError> {
        if self.calls.folded.is_some() {
            return Ok(());
        }
        let folded = match &self.asked.again {
            Some(again) => again.folded.clone(),
            None if self.transcript.lineage.is_complete() => return Ok(()),
            None => {
                let parts = Arc::clone(&self.session.harness);
                let all = store::read_history(&*parts.store, &self.session.conversation).await?;
                let calls = all.rows.iter().flat_map(|row| row.message.tool_calls());
                calls.map(|call| call.id.clone()).filter(|id| !self.calls.stored.contains(id)).collect()
            }
        };
        if let Some(inputs) = &mut self.inputs {
            inputs.folded.clone_from(&folded);
        }
        self.calls.folded = Some(folded);
        Ok(())
    }

    /// Reads what other writers stored. Returns the ids of the rows that have changed.
    pub(super) async fn catch_up(&mut self) -> Result<Vec<String>, StoreError> {
        let parts = Arc::clone(&self.session.harness);
        let now = store::read(&*parts.store, &self.session.conversation).await?;
        self.calls.stored.extend(now.rows.iter().flat_map(|row| row.message.tool_calls()).map(|call| call.id.clone()));
        // They may have folded what they stored.
        self.calls.folded = None;
        Ok(self.transcript.lineage.catch_up(&mut self.transcript.view, now))
    }
}
