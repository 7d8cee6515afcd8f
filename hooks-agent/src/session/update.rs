//! Changes of the conversation between turns.

use hook_sdk::data::{Message, MessageUpdate};
use hook_sdk::kinds::{AfterUpdateMessage, BeforeCreateMessage, BeforeUpdateMessage};
use hook_sdk::scope::PromptDef;

use super::Session;
use crate::reply::TurnError;
use crate::store::{Append, Row, RowJobs, StoreError};

impl Session {
    /// Adds `message` to the conversation without answering it: `before_create_message`, the store,
    /// `after_create_message`. If there is a `prompt`, its hooks run.
    ///
    /// # Errors
    /// [`TurnError`] if a required hook fails or the store cannot store the message.
    pub async fn add(&self, prompt: Option<&PromptDef>, message: Message) -> Result<Row, TurnError> {
        let _turn = self.inner.one_at_a_time.lock().await;
        let harness = &self.inner.harness;
        let lease = harness.store.lease(&self.inner.conversation).await?;
        let hooks = harness.scope(&self.inner.agent, prompt, &self.inner.cx)?;
        let fired = hooks.fire(&self.inner.cx, &BeforeCreateMessage::new(), message).await;
        let message = fired.map_err(TurnError::Dispatch)?.subject;
        let mut append = Append::new([message]);
        append.lease = lease.token();
        append.jobs = RowJobs::due(&*harness.store, &hooks, &self.inner.cx);
        let written = harness.store.append(&self.inner.conversation, append).await?;
        let row = written.rows.into_iter().next().ok_or_else(|| StoreError::new("it returned no row for a message"))?;
        let event = row.created();
        let cx = self.inner.cx.to_builder().queued_jobs(harness.store.keeps_jobs()).build();
        let _fired = hooks.fire(&cx, &event, ()).await.map_err(TurnError::Dispatch)?;
        Ok(row)
    }

    /// Changes the stored message `id`: `before_update_message`, the store, `after_update_message`.
    ///
    /// # Errors
    /// [`TurnError`] if a required hook fails or the store cannot change the message.
    pub async fn update(&self, id: &str, update: MessageUpdate) -> Result<Row, TurnError> {
        let _turn = self.inner.one_at_a_time.lock().await;
        let harness = &self.inner.harness;
        let lease = harness.store.lease(&self.inner.conversation).await?;
        let hooks = harness.scope(&self.inner.agent, None, &self.inner.cx)?;
        let fired = hooks.fire(&self.inner.cx, &BeforeUpdateMessage::new(id), update).await;
        let update = fired.map_err(TurnError::Dispatch)?.subject;
        let row = harness.store.update(&self.inner.conversation, id, update.clone(), lease.token()).await?;
        let event = AfterUpdateMessage::new(id, row.message.clone()).update(update);
        let _fired = hooks.fire(&self.inner.cx, &event, ()).await.map_err(TurnError::Dispatch)?;
        Ok(row)
    }
}
