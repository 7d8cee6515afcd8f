//! Storing a message: the hooks before it may rewrite the row, those after it see it stored.

use std::future::{Future, ready};

use super::error::{StepError, StepErrorKind};
use super::mode::{StepMode, Waits, at_once};
use super::returned::IntoRowId;
use crate::context::HookContext;
use crate::data::Message;
use crate::kinds::{AfterCreateMessage, BeforeCreateMessage};
use crate::plan::HookSet;

impl HookSet {
    /// Stores `message` with `append`, with the hooks at `before_create_message` and `after_create_message` around it.
    /// Returns the row as it is stored, which the model should read from now on.
    ///
    /// # Errors
    /// [`StepError`]. Nothing is stored if a hook before it ends the turn; the row is stored if one after it does.
    pub async fn store<R: Future<Output: IntoRowId>>(
        &self,
        cx: &HookContext,
        message: Message,
        append: impl FnOnce(Message) -> R,
    ) -> Result<Message, StepError> {
        store(StepMode::new(self, cx), message, append).await
    }

    /// Like [`store`](Self::store), without a runtime.
    ///
    /// # Errors
    /// Those of [`store`](Self::store).
    pub fn store_blocking<I: IntoRowId>(
        &self,
        cx: &HookContext,
        message: Message,
        append: impl FnOnce(Message) -> I,
    ) -> Result<Message, StepError> {
        at_once(store(StepMode::new(self, cx).blocking(), message, |row| ready(append(row))))
    }
}

/// Stores a message with the hooks around it.
pub(super) async fn store<W: Waits, R: Future<Output: IntoRowId>>(
    mode: StepMode<'_, W>,
    message: Message,
    append: impl FnOnce(Message) -> R,
) -> Result<Message, StepError> {
    let row = row_of(mode, message).await?;
    append_row(mode, row, append).await
}

/// The row that is to be stored for `message`.
pub(super) async fn row_of<W: Waits>(mode: StepMode<'_, W>, message: Message) -> Result<Message, StepError> {
    Ok(mode.fire(&BeforeCreateMessage::new(), message).await?.subject)
}

/// Stores `row` as it is. A cancelled turn does not stop this, so that nothing is half stored.
pub(super) async fn append_row<W: Waits, R: Future<Output: IntoRowId>>(
    mode: StepMode<'_, W>,
    row: Message,
    append: impl FnOnce(Message) -> R,
) -> Result<Message, StepError> {
    mode.can_fire::<AfterCreateMessage>()?;
    let id = append(row.clone()).await.into_row_id().map_err(StepErrorKind::Caller)?;
    if mode.has::<AfterCreateMessage>() {
        let mut event = AfterCreateMessage::new(row.clone());
        event.message_id = id;
        let _ = mode.fire(&event, ()).await?;
    }
    Ok(row)
}
