//! The loop written by hand: the prompt, and the calls of the model.

use hook_sdk::data::{Block, Role};
use hook_sdk::kinds::{PostModelCall, PreModelCall, PrefilterLlmHistory, UserPromptSubmit};
use hook_sdk::prelude::*;

use crate::by_hand::{End, Turn};
use crate::faults::Fault;

impl Turn<'_> {
    pub(crate) async fn prompt(&mut self) -> Result<Messages, End> {
        let text = self.world.prompt();
        let asked = Message::new(Role::User, text);
        let mut original =
            if self.has(Fault::ForgetsTheConversation) { Messages::default() } else { self.stored.clone() };
        original.push(asked.clone());
        let said = if self.has(Fault::SubmitsNoPrompt) { "" } else { text };
        let fired = self.fire(&UserPromptSubmit::new(said, original.clone()), original).await?;
        match &fired.verdict.decision {
            PromptDecision::Block(reason) => {
                if self.has(Fault::StoresABlockedPrompt) {
                    self.keep(asked.clone()).await?;
                }
                if !self.has(Fault::CallsTheModelWithABlockedPrompt) {
                    return Err(End(reason.to_string()));
                }
            }
            PromptDecision::Stop(reason) if !self.has(Fault::IgnoresAStoppedPrompt) => {
                return Err(End(reason.to_string()));
            }
            _ => {}
        }
        let mut messages = fired.subject;
        let mut prompt = messages.pop().unwrap_or_else(|| asked.clone());
        if self.has(Fault::SendsTheOldPrompt) {
            prompt = asked.clone();
        }
        let stored = if self.has(Fault::StoresTheOldPrompt) { asked } else { prompt.clone() };
        let row = self.row(stored, Fault::StoresThePromptUnmasked).await?;
        let most = if self.has(Fault::AddsTheFirstContextOnly) { 1 } else { usize::MAX };
        for text in fired.verdict.contexts.into_iter().take(most) {
            let context = Message::new(Role::User, text);
            if self.has(Fault::StoresTheContext) {
                self.keep(context.clone()).await?;
            }
            if !self.has(Fault::ForgetsTheContext) {
                messages.push(context);
            }
        }
        messages.push(if self.has(Fault::StoresTheOldPrompt) { prompt } else { row.clone() });
        self.keep(row).await?;
        Ok(messages)
    }

    /// The request, as a loop with this fault sends it.
    fn spoilt(&self, mut request: ModelRequest, own: &ModelRequest, is_later: bool) -> ModelRequest {
        if self.has(Fault::DropsTheOptions) {
            request.tool_choice = None;
        }
        if self.has(Fault::DropsTheProfile) {
            request.profile = None;
        }
        if self.has(Fault::DropsTheTools) {
            request.tools = None;
        }
        if self.has(Fault::OffersEveryToolInPlaceOfNone) && request.tools.as_ref().is_some_and(Vec::is_empty) {
            request.tools = None;
        }
        if self.has(Fault::AppendsTheSystemPrompt) && request.system_prompt != own.system_prompt {
            request.system_prompt = format!("{} {}", own.system_prompt, request.system_prompt);
        }
        if self.has(Fault::PreparesTheFirstRequestOnly) && is_later {
            request = own.clone();
        }
        if self.has(Fault::SendsTheSystemPromptOnly) {
            let mut rebuilt = own.clone();
            rebuilt.system_prompt.clone_from(&request.system_prompt);
            rebuilt.answer.clone_from(&request.answer);
            request = rebuilt;
        }
        if self.has(Fault::IgnoresTheSystemPrompt) {
            request.system_prompt.clone_from(&own.system_prompt);
        }
        request
    }

    pub(crate) async fn model(&mut self, messages: &mut Messages) -> Result<Message, End> {
        for round in 0.. {
            let sent = self.fire(&PrefilterLlmHistory::new(), messages.clone()).await?.subject;
            let is_later = self.answers > 0;
            let unfiltered =
                self.has(Fault::IgnoresTheFilteredHistory) || (self.has(Fault::FiltersTheFirstRequestOnly) && is_later);
            let mut sent = if unfiltered { messages.clone() } else { sent };
            if self.has(Fault::ForgetsTheContextLater) && is_later {
                sent = sent.iter().filter(|message| message.text() != "conformance probe").cloned().collect();
            }
            if self.has(Fault::ForgetsTheContextOfAResultLater) && self.answers > 1 {
                sent = sent.iter().map(without_context).collect();
            }
            let moves = self.has(Fault::MovesTheContextToTheEnd) && is_later;
            if let Some(at) = sent.iter().position(|message| moves && message.text() == "conformance probe") {
                let context = sent.remove(at);
                sent.push(context);
            }
            let mut own = ModelRequest::new("Be kind.");
            own.profile.clone_from(&self.profile);
            let told = if self.has(Fault::PreparesWithoutTheMessages) { Messages::default() } else { sent.clone() };
            let event = PreModelCall::new().messages(told);
            let mut request = if self.has(Fault::IgnoresALaterHaltOfTheRequest) && is_later {
                self.hooks.fire(&self.cx, &event, own.clone()).await?.subject
            } else {
                match self.fire(&event, own.clone()).await {
                    Err(_) if self.has(Fault::IgnoresALaterFailureOfTheRequest) && is_later => own.clone(),
                    fired => fired?.subject,
                }
            };
            request = self.spoilt(request, &own, is_later);
            let content = match &request.answer {
                Some(answer) if !self.has(Fault::IgnoresTheAnswerInPlace) => answer.clone(),
                _ => self.world.model(&request, &sent),
            };
            if self.has(Fault::ShowsTheRawAnswer) {
                self.world.show(&Message::of(Role::Assistant, content.clone()).text());
            }
            let reply = ModelReply::new(content.clone()).messages(messages.clone());
            let fired = match self.fire(&PostModelCall::new("end_turn"), reply).await {
                Err(_) if self.has(Fault::IgnoresALaterFailureOfTheAnswer) && is_later => {
                    return Ok(Message::of(Role::Assistant, content));
                }
                fired => fired?,
            };
            let mut left = fired.subject.content.clone();
            let calls = |content: &[Block]| content.iter().any(|block| matches!(block, Block::ToolUse(_)));
            if self.has(Fault::IgnoresTheRewrittenAnswer) && !calls(&content) {
                left.clone_from(&content);
            }
            if self.has(Fault::RunsARemovedCall) && calls(&content) {
                left.clone_from(&content);
            }
            if self.has(Fault::JudgesTheFirstAnswerOnly) && is_later {
                left.clone_from(&content);
            }
            self.answers += 1;
            let again = fired.verdict == ReplyVerdict::Continue && !calls(&left) && !self.has(Fault::IgnoresContinue);
            if again && (round < 3 || self.has(Fault::ContinuesWithoutBound)) {
                if self.has(Fault::StoresTheDiscardedAnswer) {
                    self.keep(Message::of(Role::Assistant, left)).await?;
                }
                if !self.has(Fault::ContinuesWithoutItsMessages) {
                    messages.clone_from(&fired.subject.messages);
                }
                if self.has(Fault::SendsTheDiscardedAnswer) {
                    messages.push(Message::of(Role::Assistant, content));
                }
                if !self.has(Fault::ContinuesWithoutItsProfile) {
                    self.profile.clone_from(&fired.subject.profile);
                }
                continue;
            }
            return Ok(Message::of(Role::Assistant, left));
        }
        Err(End("too many answers".to_owned()))
    }
}

/// A row of a result without the context of the first call.
fn without_context(row: &Message) -> Message {
    let is_context = |block: &Block| block.as_text() == Some("the context of call_1");
    Message::of(row.role, row.content.iter().filter(|block| !is_context(block)).cloned().collect())
}
