//! A prompt: hooks rewrite or block it, and add contexts; then it is stored.

use std::future::{Future, ready};

use super::error::{StepError, StepErrorKind};
use super::message::store;
use super::mode::{StepMode, Waits, at_once};
use super::returned::IntoRowId;
use crate::context::HookContext;
use crate::data::{Message, Messages, Role};
use crate::kinds::UserPromptSubmit;
use crate::plan::HookSet;
use crate::tables::setters;
use crate::verdict::{Denial, Halt, PromptDecision};

/// A prompt with the hooks around it. Made by [`HookSet::prompt`].
#[must_use = "the prompt is neither judged nor stored before `store`"]
#[derive(Debug)]
pub struct PromptStep<'a> {
    mode: StepMode<'a>,
    prompt: Message,
    stored: Messages,
    profile: String,
    hidden: bool,
}

impl HookSet {
    /// Prepares a prompt in the conversation `stored`.
    pub fn prompt<'a>(&'a self, cx: &'a HookContext, text: impl Into<String>, stored: &Messages) -> PromptStep<'a> {
        let (prompt, stored) = (Message::new(Role::User, text.into()), stored.clone());
        PromptStep { mode: StepMode::new(self, cx), prompt, stored, profile: String::new(), hidden: false }
    }
}

setters!(PromptStep<'_> {
    /// The model profile that the turn requests.
    profile: impl Into<String>,
    /// Whether the prompt is hidden from the person, for example because a timer submitted it.
    hidden: bool,
});

impl PromptStep<'_> {
    /// Stores the prompt with `append`, unless hooks block or remove it. Returns what the model reads: the conversation, what
    /// hooks add for this turn, and the prompt as it is stored.
    ///
    /// # Errors
    /// [`StepError`] if hooks block or remove the prompt, or end the turn. Nothing is stored then, unless a hook at
    /// `after_create_message` ended it.
    pub async fn store<R: Future<Output: IntoRowId>>(
        self,
        append: impl FnOnce(Message) -> R,
    ) -> Result<Messages, StepError> {
        let mode = self.mode;
        self.step(mode, append).await
    }

    /// Like [`store`](Self::store), without a runtime.
    ///
    /// # Errors
    /// Those of [`store`](Self::store).
    pub fn store_blocking<I: IntoRowId>(self, append: impl FnOnce(Message) -> I) -> Result<Messages, StepError> {
        let mode = self.mode.blocking();
        at_once(self.step(mode, |row| ready(append(row))))
    }

    async fn step<W: Waits, R: Future<Output: IntoRowId>>(
        self,
        mode: StepMode<'_, W>,
        append: impl FnOnce(Message) -> R,
    ) -> Result<Messages, StepError> {
        let Self { mode: _, prompt, stored, profile, hidden } = self;
        mode.go_on()?;
        let mut original = stored;
        original.push(prompt.clone());
        let event = UserPromptSubmit::new(prompt.text().into_owned(), original.clone()).profile(profile).hidden(hidden);
        let fired = mode.fire(&event, original).await?;
        let (by, attribution) = (fired.verdict.by, fired.verdict.attribution);
        match fired.verdict.decision {
            PromptDecision::Proceed => {}
            PromptDecision::Stop(reason) => return Err(StepErrorKind::Halted(Halt { reason, by, attribution }).into()),
            PromptDecision::Block(reason) => {
                return Err(StepErrorKind::Blocked(Denial { by, attribution, ..Denial::new(reason) }).into());
            }
        }
        let mut messages = fired.subject;
        let Some(at) = event.place_of_prompt(&messages) else {
            return Err(StepErrorKind::Blocked(Denial::new("a hook removed the prompt")).into());
        };
        let prompt = messages.remove(at);
        let behind = messages.split_off(at);
        messages.extend(fired.verdict.contexts.into_iter().map(|text| Message::new(Role::User, text)));
        messages.push(store(mode, prompt, append).await?);
        messages.extend(behind);
        Ok(messages)
    }
}
