//! Asking the model, with the hooks around the call.

use std::collections::HashSet;

use hooks_core::HookKind;
use hooks_core::data::{Block, Message, Messages, ModelReply, ModelRequest, Role, Usage};
use hooks_core::kinds::{ExitReason, PostModelCall, PreModelCall, PrefilterLlmHistory, StreamDelta};
use hooks_core::verdict::ReplyVerdict;

use super::TurnLoop;
use super::call::Answered;
use super::end::End;
use super::stream::StreamStop;
use crate::call_site::{COMPACTION, MAIN};
use crate::event::TurnEvent;
use crate::injected;
use crate::model::{MAX_TOKENS, ModelAnswer, ModelError};
use crate::reply::Outcome;

/// What came of asking the model.
pub(super) enum Step {
    /// Hooks want it to be asked again.
    Again,
    /// It asks for tools.
    Calls {
        message: Message,
        /// The text of it that was shown.
        shown: String,
    },
    /// It answered.
    Answer {
        message: Message,
        /// Whether the answer was cut at its length.
        cut: bool,
        /// The text of it that was shown.
        shown: String,
    },
}

/// The event of an answer.
fn event_of(stop_reason: String, model: String, usage: Option<Usage>) -> PostModelCall {
    let event = PostModelCall::new(stop_reason).model(model);
    match usage {
        Some(usage) => event.usage(usage),
        None => event,
    }
}

impl TurnLoop {
    /// Asks the model once; again where it cannot be reached, or where hooks say so.
    pub(super) async fn ask(&mut self) -> Result<Step, End> {
        self.counts.iterations += 1;
        self.budget.spend_call();
        self.go_on(ExitReason::AbortedPreCall)?;
        let event = PrefilterLlmHistory::new().call_site(MAIN).profile(self.profile());
        let messages = self.fire(&event, self.transcript.view.clone()).await?.subject;
        self.go_on(ExitReason::AbortedPreCall)?;
        let mut retries = 0;
        loop {
            let request = self.request(&messages).await?;
            self.go_on(ExitReason::AbortedPreCall)?;
            let Answered { answer, shown, stopped } = self.call_model(&request, messages.clone(), true).await?;
            if let Some(stopped) = stopped {
                return Err(self.stream_stopped(stopped, &shown).await?);
            }
            match answer {
                Ok(answer) => return self.answered(answer, shown).await,
                Err(error) if self.wait_to_retry(&error, retries, !shown.is_empty()).await? => retries += 1,
                Err(error) => return self.refused(error, &shown).await,
            }
        }
    }

    /// The system prompt and the profile of the call, as hooks leave them.
    async fn request(&mut self, messages: &Messages) -> Result<ModelRequest, End> {
        let profiles = self.session.harness.models.profiles();
        let event = PreModelCall::new().call_site(MAIN).messages(messages.clone()).profiles(profiles);
        let fired = self.fire(&event, ModelRequest::new(self.model.system_prompt.as_str())).await?;
        self.emit_prompt_change(&self.model.system_prompt, &fired.subject);
        Ok(fired.subject)
    }

    /// Says so where hooks left another system prompt than `given`.
    fn emit_prompt_change(&self, given: &str, left: &ModelRequest) {
        if left.system_prompt != given {
            self.emit(|| TurnEvent::SystemPromptChanged);
        }
    }

    /// Asks the model for a summary of `messages`, again where it cannot be reached. The error is why it did not answer.
    pub(super) async fn ask_for_summary(
        &mut self,
        instructions: &str,
        mut messages: Messages,
    ) -> Result<Result<String, ModelError>, End> {
        let site = COMPACTION;
        // Models that answer a conversation answer its last message, and that is a person's.
        messages.push(injected::asks_for_summary());
        let event = PrefilterLlmHistory::new().call_site(site).profile(self.profile());
        let messages = self.fire(&event, messages).await?.subject;
        let mut retries = 0;
        let answer = loop {
            let event = PreModelCall::new().call_site(site).messages(messages.clone());
            let request = ModelRequest::new(instructions).defer_output(true);
            let request = self.fire(&event, request).await?.subject;
            self.emit_prompt_change(instructions, &request);
            self.go_on(ExitReason::AbortedPreCall)?;
            let answer = self.call_model(&request, messages.clone(), false).await?.answer;
            match &answer {
                Err(error) if self.wait_to_retry(error, retries, false).await? => retries += 1,
                _ => break answer,
            }
        };
        let (event, content, error) = match answer {
            Ok(answer) => (event_of(answer.stop_reason, answer.model, answer.usage), answer.content, None),
            Err(error) => (PostModelCall::failed(error.to_string()), Vec::new(), Some(error)),
        };
        let reply = ModelReply::new(content).messages(messages);
        let reply = self.fire(&event.call_site(site), reply).await?.subject;
        let text = Message::of(Role::Assistant, reply.content.clone()).text().into_owned();
        if !text.trim().is_empty() {
            return Ok(Ok(text));
        }
        Ok(Err(error.unwrap_or_else(|| ModelError::Unanswered("its summary has no words".to_owned()))))
    }

    /// The provider refused: hooks may repair the messages and have it asked again.
    async fn refused(&mut self, error: ModelError, shown: &str) -> Result<Step, End> {
        self.emit(|| TurnEvent::ModelFailed { error: error.to_string() });
        let event = PostModelCall::failed(error.to_string()).call_site(MAIN).streamed(!shown.is_empty());
        let fired = self.fire(&event, ModelReply::new(Vec::new()).messages(self.transcript.view.clone())).await?;
        if fired.verdict == ReplyVerdict::Continue && shown.is_empty() && self.may_continue() {
            self.transcript.view.clone_from(&fired.subject.messages);
            return Ok(Step::Again);
        }
        self.keep_broken(shown).await?;
        self.go_on(ExitReason::AbortedPreCall)?;
        if matches!(error, ModelError::Overflow(_)) && self.make_room_by_force().await? {
            return Ok(Step::Again);
        }
        Err(End::from(error))
    }

    /// The model answered: hooks may rewrite what it said, or have it asked again.
    async fn answered(&mut self, answer: ModelAnswer, shown: String) -> Result<Step, End> {
        let streamed = !shown.is_empty();
        self.room.taken();
        let cut = answer.stop_reason == MAX_TOKENS;
        let event = event_of(answer.stop_reason, answer.model, answer.usage).call_site(MAIN).streamed(streamed);
        let fired = self.fire(&event, ModelReply::new(answer.content).messages(self.transcript.view.clone())).await?;
        let reply = fired.subject;
        let mut message = Message::of(Role::Assistant, reply.content.clone());
        message.extra = answer.extra;
        if cut {
            // The arguments of a call in a cut answer may be cut too.
            message.content.retain(|block| !matches!(block, Block::ToolUse(_)));
        }
        // Providers refuse a block without a word.
        message.content.retain(|block| block.as_text() != Some(""));
        self.name_calls(&mut message);
        let calls = message.tool_calls().next().is_some();
        // A call that is asked for is made; what was shown cannot be taken back.
        if fired.verdict == ReplyVerdict::Continue && !calls && !streamed && self.may_continue() {
            self.transcript.view.clone_from(&reply.messages);
            if cut && !message.content.is_empty() {
                self.store(message).await?;
            }
            return Ok(Step::Again);
        }
        Ok(if calls { Step::Calls { message, shown } } else { Step::Answer { message, cut, shown } })
    }

    /// A hook stopped the answer while it came: what was shown stands, and why it ends there.
    async fn stream_stopped(&mut self, stopped: StreamStop, shown: &str) -> Result<End, End> {
        let StreamStop { reason, by } = stopped;
        let kind = StreamDelta::NAME;
        self.emit(|| TurnEvent::Blocked { kind, by: by.clone(), reason: reason.clone() });
        let text = format!("{shown}\n[Blocked by hook] {reason}");
        let stored = self.store(Message::new(Role::Assistant, text.trim_start())).await?;
        let shown = stored.text().into_owned();
        Ok(End::new(Outcome::StreamStopped { shown, reason, by }, ExitReason::AnswerBlocked))
    }

    /// Whether hooks at `post_model_call` may have the model asked again; then it counts.
    fn may_continue(&mut self) -> bool {
        let may = self.counts.continues < self.limits().continues && self.halted.is_none();
        self.counts.continues += u32::from(may);
        may
    }

    /// Gives an id of its own to each call that has none, or one that another call of the conversation has.
    fn name_calls(&self, message: &mut Message) {
        if message.tool_calls().next().is_none() {
            return;
        }
        let read = self.transcript.view.iter().chain(self.transcript.added.iter()).flat_map(Message::tool_calls);
        let mut taken: HashSet<String> = read.map(|call| call.id.clone()).collect();
        // Hooks may keep stored calls from the model, in this turn and not in the next.
        taken.extend(self.calls.stored.iter().cloned());
        for block in &mut message.content {
            if let Block::ToolUse(call) = block {
                let mut number = taken.len();
                while call.id.is_empty() || taken.contains(&call.id) {
                    call.id = format!("call_{number}");
                    number += 1;
                }
                taken.insert(call.id.clone());
            }
        }
    }
}
