//! A model call: hooks change what is sent, answer in the model's place, rewrite the answer, or ask for another one.

use std::future::{Future, ready};

use super::error::{StepError, StepErrorKind};
use super::mode::{StepMode, Waits, at_once};
use super::returned::IntoModelAnswer;
use crate::context::HookContext;
use crate::data::{Block, Message, Messages, ModelAnswer, ModelReply, ModelRequest};
use crate::kinds::{ModelFailure, PostModelCall, PreModelCall, PrefilterLlmHistory};
use crate::plan::HookSet;
use crate::tables::setters;
use crate::verdict::ReplyVerdict;

/// How often hooks may ask for another answer, unless the loop sets it.
const CONTINUES: u32 = 3;

/// A model call with the hooks around it. Made by [`HookSet::model_call`].
#[must_use = "the model is not called before `run`"]
#[derive(Debug)]
pub struct ModelCallStep<'a> {
    mode: StepMode<'a>,
    request: ModelRequest,
    messages: &'a mut Messages,
    call_site: String,
    profiles: Vec<String>,
    continues: u32,
}

impl HookSet {
    /// Prepares a model call with `messages`, the conversation as the model reads it. Hooks at `post_model_call` that ask
    /// for another answer may change it for the rest of the turn.
    pub fn model_call<'a>(
        &'a self,
        cx: &'a HookContext,
        request: ModelRequest,
        messages: &'a mut Messages,
    ) -> ModelCallStep<'a> {
        let (mode, call_site, profiles) = (StepMode::new(self, cx), "main".to_owned(), Vec::new());
        ModelCallStep { mode, request, messages, call_site, profiles, continues: CONTINUES }
    }
}

setters!(ModelCallStep<'_> {
    /// The purpose of the call, such as `title`; `main` if this is not set.
    call_site: impl Into<String>,
    /// How often hooks may ask for another answer; 3 if this is not set.
    continues: u32,
});

impl ModelCallStep<'_> {
    /// The profiles that hooks can route the call to.
    pub fn profiles(mut self, profiles: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.profiles = profiles.into_iter().map(Into::into).collect();
        self
    }

    /// Calls the model with the request and the messages as the hooks leave them, unless a hook answers in its place.
    /// Returns the message to store. Calls in it have ids of their own. An answer whose stop reason is
    /// [`MAX_TOKENS`](crate::data::MAX_TOKENS) has none.
    ///
    /// # Errors
    /// [`StepError`] if the turn ends, or if the model fails and no hook asks for another answer.
    pub async fn run<R: Future<Output: IntoModelAnswer>>(
        self,
        model: impl FnMut(ModelRequest, Messages) -> R,
    ) -> Result<Message, StepError> {
        let mode = self.mode;
        self.step(mode, model).await
    }

    /// Like [`run`](Self::run), without a runtime.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    pub fn run_blocking<T: IntoModelAnswer>(
        self,
        mut model: impl FnMut(ModelRequest, Messages) -> T,
    ) -> Result<Message, StepError> {
        let mode = self.mode.blocking();
        at_once(self.step(mode, |request, messages| ready(model(request, messages))))
    }

    async fn step<W: Waits, R: Future<Output: IntoModelAnswer>>(
        self,
        mode: StepMode<'_, W>,
        mut model: impl FnMut(ModelRequest, Messages) -> R,
    ) -> Result<Message, StepError> {
        let Self { mode: _, request: first, messages, call_site, profiles, mut continues } = self;
        let mut profile = first.profile.clone();
        mode.can_fire::<PostModelCall>()?;
        loop {
            let event = PrefilterLlmHistory::new().call_site(call_site.as_str());
            let event = event.profile(profile.clone().unwrap_or_default());
            let sent = mode.fire(&event, messages.clone()).await?.subject;
            let event = PreModelCall::new().call_site(call_site.as_str()).messages(sent.clone());
            let mut request = first.clone();
            request.profile.clone_from(&profile);
            let request = mode.fire(&event.profiles(profiles.clone()), request).await?.subject;
            let answer = match request.answer.clone() {
                Some(content) => Ok(ModelAnswer::new(content)),
                None => {
                    mode.go_on()?;
                    let answer = mode.run_until(model(request, sent)).await;
                    answer.ok_or(StepErrorKind::Cancelled)?.into_model_answer()
                }
            };
            let (event, answer) = match answer {
                Ok(answer) => (answered(&answer), Ok(answer)),
                Err(error) => (PostModelCall::failed(ModelFailure::Unanswered, error.to_string()), Err(error)),
            };
            let content = answer.as_ref().map(|answer| answer.content.clone()).unwrap_or_default();
            let (streamed, reply) = (event.streamed, ModelReply::new(content).messages(messages.clone()));
            let fired = mode.fire(&event.call_site(call_site.as_str()), reply).await?;
            let reply = fired.subject;
            let calls = reply.content.iter().any(|block| matches!(block, Block::ToolUse(_)));
            // Tool calls are always run, and text that was shown cannot be taken back.
            if fired.verdict == ReplyVerdict::Continue && continues > 0 && !calls && !streamed {
                continues -= 1;
                messages.clone_from(&reply.messages);
                profile = reply.profile.clone().or(profile);
                continue;
            }
            let mut answer = answer.map_err(StepErrorKind::Caller)?;
            answer.content.clone_from(&reply.content);
            let taken = messages.iter().flat_map(Message::tool_calls).map(|call| call.id.as_str());
            return Ok(answer.into_message(taken));
        }
    }
}

fn answered(answer: &ModelAnswer) -> PostModelCall {
    let mut event = PostModelCall::new(answer.stop_reason.as_str()).model(answer.model.as_str());
    (event.usage, event.streamed) = (answer.usage, answer.streamed);
    event
}
