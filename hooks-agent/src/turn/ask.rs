//! Model calls with the hooks around them.

use std::time::Duration;

use hook_sdk::HookKind;
use hook_sdk::data::{Block, Message, Messages, ModelReply, ModelRequest, Role};
use hook_sdk::kinds::{ExitReason, PostModelCall, PreModelCall, PrefilterLlmHistory, StreamDelta};
use hook_sdk::verdict::ReplyVerdict;

use super::TurnLoop;
use super::call::{Answered, flatten_inputs};
use super::end::{BROKE_OFF, End};
use super::stream::StreamStop;
use crate::call_site::COMPACTION;
use crate::event::TurnEvent;
use crate::injected;
use crate::model::{MAX_TOKENS, ModelAnswer, ModelError};
use crate::reply::Outcome;

/// The result of a model call.
pub(super) enum Step {
    /// Hooks request another call.
    Again,
    /// The model calls tools.
    Calls(Message),
    /// The model answered.
    Answer {
        message: Message,
        /// Whether the answer was truncated.
        cut: bool,
    },
}

/// The event of a successful call.
fn event_of(answer: &ModelAnswer) -> PostModelCall {
    let mut event = PostModelCall::new(answer.stop_reason.as_str()).model(answer.model.as_str());
    event.usage = answer.usage;
    event
}

/// The event of a failed call.
fn failed(error: &ModelError) -> PostModelCall {
    PostModelCall::failed(error.failure(), error.to_string())
}

impl TurnLoop {
    /// Calls the model once. Retries the call if the error allows it, or if hooks request it.
    pub(super) async fn ask(&mut self) -> Result<Step, End> {
        self.counts.iterations += 1;
        self.draft.answer = None;
        self.go_on(ExitReason::AbortedPreCall)?;
        let event = PrefilterLlmHistory::new().call_site(self.session.call_site).profile(self.profile());
        let event = event.model(self.model.answered_by.clone().unwrap_or_default());
        let messages = self.fire(&event, self.transcript.view.clone()).await?.subject;
        self.go_on(ExitReason::AbortedPreCall)?;
        let mut retries = 0;
        loop {
            let request = self.request(&messages).await?;
            self.go_on(ExitReason::AbortedPreCall)?;
            let Answered { answer, stopped } = self.call_model(&request, messages.clone(), true).await?;
            if let Some(stopped) = stopped {
                return Err(self.stream_stopped(stopped).await?);
            }
            let error = match answer {
                Ok(answer) => return self.answered(answer).await,
                Err(error) => error,
            };
            let wait = self.retry_wait(&error, retries);
            match self.unanswered(error, wait).await? {
                Some(step) => return Ok(step),
                None => retries += 1,
            }
        }
    }

    /// The system prompt and the profile of the call, as hooks leave them.
    async fn request(&mut self, messages: &Messages) -> Result<ModelRequest, End> {
        let event = self.pre_model_call(self.session.call_site, messages);
        let mut request = ModelRequest::new(self.model.system_prompt.as_str());
        request.profile = self.wanted_profile().cloned();
        let fired = self.fire(&event, request).await?;
        self.emit_prompt_change(&self.model.system_prompt, &fired.subject);
        self.model.only.clone_from(&fired.subject.tools);
        Ok(fired.subject)
    }

    fn pre_model_call(&self, site: &'static str, messages: &Messages) -> PreModelCall {
        let profiles = self.session.harness.models.profiles();
        PreModelCall::new().call_site(site).messages(messages.clone()).profiles(profiles)
    }

    /// Emits an event if hooks changed the system prompt `given`.
    fn emit_prompt_change(&self, given: &str, left: &ModelRequest) {
        if left.system_prompt != given {
            self.emit(|| TurnEvent::SystemPromptChanged);
        }
    }

    /// Calls the model for a summary of `messages`, with retries. The error is that of the last call.
    pub(super) async fn ask_for_summary(
        &mut self,
        instructions: &str,
        mut messages: Messages,
    ) -> Result<Result<String, ModelError>, End> {
        let site = COMPACTION;
        // Models answer the last message, which has to be one of a person.
        messages.push(injected::asks_for_summary());
        let event = PrefilterLlmHistory::new().call_site(site).profile(self.profile());
        let event = event.model(self.model.answered_by.clone().unwrap_or_default());
        let mut messages = self.fire(&event, messages).await?.subject;
        let (mut retries, mut routed) = (0, self.wanted_profile().cloned());
        loop {
            let event = self.pre_model_call(site, &messages);
            let mut request = ModelRequest::new(instructions).defer_output(true);
            request.profile.clone_from(&routed);
            let request = self.fire(&event, request).await?.subject;
            self.emit_prompt_change(instructions, &request);
            self.go_on(ExitReason::AbortedPreCall)?;
            let answer = self.call_model(&request, messages.clone(), false).await?.answer;
            let wait = answer.as_ref().err().and_then(|error| self.retry_wait(error, retries));
            let (event, content, error) = match answer {
                Ok(answer) => (event_of(&answer), answer.content, None),
                Err(error) => (failed(&error), Vec::new(), Some(error)),
            };
            let reply = ModelReply::new(content).messages(messages.clone());
            let fired = self.fire(&event.call_site(site).will_retry(wait.is_some()), reply).await?;
            let reply = fired.subject;
            if fired.verdict == ReplyVerdict::Continue && self.may_continue() {
                (messages, routed) = (reply.messages.clone(), reply.profile.clone().or(routed));
                continue;
            }
            match (error, wait) {
                (Some(error), Some(wait)) if fired.verdict != ReplyVerdict::Stop => {
                    self.go_on(ExitReason::AbortedPreCall)?;
                    self.wait_to_retry(&error, wait).await?;
                    retries += 1;
                }
                (error, _) => {
                    let text = Message::of(Role::Assistant, reply.content.clone()).text().into_owned();
                    let silent = || ModelError::Unanswered("its summary is empty".to_owned());
                    let has_words = !text.trim().is_empty();
                    return Ok(if has_words { Ok(text) } else { Err(error.unwrap_or_else(silent)) });
                }
            }
        }
    }

    /// Handles a failed call. Hooks can repair the messages, or have another model answer. Returns `None` to retry the
    /// same call, after its delay has passed.
    async fn unanswered(&mut self, error: ModelError, wait: Option<Duration>) -> Result<Option<Step>, End> {
        let emit_failure = |this: &Self| this.emit(|| TurnEvent::ModelFailed { error: error.to_string() });
        if wait.is_none() {
            emit_failure(self);
        }
        let streamed = !self.shown.is_empty();
        let event = failed(&error).call_site(self.session.call_site).streamed(streamed);
        let reply = ModelReply::new(Vec::new()).messages(self.transcript.view.clone());
        let fired = self.fire(&event.will_retry(wait.is_some()), reply).await;
        let fired = self.keeping(fired, BROKE_OFF).await?;
        if fired.verdict == ReplyVerdict::Continue && !streamed && self.may_continue() {
            self.goes_on_from(&fired.subject);
            return Ok(Some(Step::Again));
        }
        if let Some(wait) = wait {
            if fired.verdict != ReplyVerdict::Stop && self.halted.is_none() {
                self.wait_to_retry(&error, wait).await?;
                return Ok(None);
            }
            emit_failure(self);
        }
        self.keep_shown(BROKE_OFF).await?;
        self.go_on(ExitReason::AbortedPreCall)?;
        if matches!(error, ModelError::Overflow(_)) && self.make_room_by_force().await? {
            return Ok(Some(Step::Again));
        }
        Err(End::from(error))
    }

    /// Applies a hook's request for another call: its messages, and its profile if it names one.
    fn goes_on_from(&mut self, reply: &ModelReply) {
        self.transcript.view.clone_from(&reply.messages);
        if reply.profile.is_some() {
            self.model.routed.clone_from(&reply.profile);
        }
    }

    /// Handles an answer. Hooks can rewrite it or request another call.
    async fn answered(&mut self, mut answer: ModelAnswer) -> Result<Step, End> {
        let streamed = !self.shown.is_empty();
        self.room.taken();
        self.measured(answer.usage);
        if !answer.model.is_empty() {
            self.model.answered_by = Some(answer.model.clone());
        }
        let cut = answer.stop_reason == MAX_TOKENS;
        let has_calls = |content: &[Block]| content.iter().any(|block| matches!(block, Block::ToolUse(_)));
        let note = if has_calls(&answer.content) { BROKE_OFF } else { "" };
        let event = event_of(&answer).call_site(self.session.call_site).streamed(streamed);
        let reply = ModelReply::new(std::mem::take(&mut answer.content)).messages(self.transcript.view.clone());
        let fired = self.fire(&event, reply).await;
        let fired = self.keeping(fired, note).await?;
        let reply = fired.subject;
        answer.content.clone_from(&reply.content);
        flatten_inputs(&mut answer.content);
        if has_calls(&answer.content) {
            let read = self.read_folded_calls().await.map_err(End::from);
            self.keeping(read, BROKE_OFF).await?;
        }
        let read = self.transcript.view.iter().chain(self.transcript.added.iter()).flat_map(Message::tool_calls);
        // Hooks may hide stored calls from the model in this turn, but not in the next one.
        let taken = read.map(|call| &call.id).chain(&self.calls.stored).chain(self.calls.folded.iter().flatten());
        let message = answer.into_message(taken.map(String::as_str));
        let calls = message.tool_calls().next().is_some();
        // Tool calls are always run, and text that was shown cannot be taken back.
        if fired.verdict == ReplyVerdict::Continue && !calls && !streamed && self.may_continue() {
            self.goes_on_from(&reply);
            if cut && !message.content.is_empty() {
                // It is stored and shown with what follows, when hooks have judged both.
                self.transcript.view.push(message.clone());
                self.draft.halves.push(message);
            }
            return Ok(Step::Again);
        }
        Ok(if calls { Step::Calls(message) } else { Step::Answer { message, cut } })
    }

    /// Handles an answer that a hook stopped: stores what was shown, with the reason.
    async fn stream_stopped(&mut self, stopped: StreamStop) -> Result<End, End> {
        let StreamStop { reason, by } = stopped;
        let kind = StreamDelta::NAME;
        self.emit(|| TurnEvent::Blocked { kind, by: by.clone(), reason: reason.clone() });
        let shown = self.say(self.shown.clone(), &format!("\n[Blocked by hook] {reason}")).await?;
        Ok(End::new(Outcome::StreamStopped { shown, reason, by }, ExitReason::AnswerBlocked))
    }

    /// Whether hooks at `post_model_call` may request another call. If so, counts it.
    fn may_continue(&mut self) -> bool {
        let may = self.counts.continues < self.limits().continues && self.halted.is_none();
        self.counts.continues += u32::from(may);
        may
    }
}
