use hooks_core::data::MessageUpdate;
use hooks_core::kinds::{AfterUpdateMessage, BeforeUpdateMessage};

use super::Session;
use crate::reply::TurnError;
use crate::store::Row;

impl Session {
    /// Changes the stored message `id`, between turns: `before_update_message`, the store, `after_update_message`.
    ///
    /// # Errors
    /// [`TurnError`] where a required hook failed or the store could not change it.
    pub async fn update(&self, id: &str, update: MessageUpdate) -> Result<Row, TurnError> {
        let _turn = self.inner.one_at_a_time.lock().await;
        let parts = &self.inner.parts;
        let hooks = parts.scope(&self.inner.agent, None)?;
        let fired = hooks.fire(&self.inner.cx, &BeforeUpdateMessage::new(id), update).await;
        let update = fired.map_err(TurnError::Dispatch)?.subject;
        let row = parts.store.update(&self.inner.conversation, id, update.clone()).await?;
        let event = AfterUpdateMessage::new(id, row.message.clone()).update(update);
        let _fired = hooks.fire(&self.inner.cx, &event, ()).await.map_err(TurnError::Dispatch)?;
        Ok(row)
    }
}
