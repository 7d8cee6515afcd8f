//! One conversation through the kinds of a turn, in the order in which a harness fires them.
//!
//! The recording stands in for the model and the tools: what the model said is stored, what a tool answered is what
//! running it comes to. So the hooks decide what is stored, what is shown and what may run, and nothing else changes: as
//! many messages come out as went in, and each call keeps its result.

mod tools;

use hooks_core::data::{Block, Message, Messages, Role};
use hooks_core::kinds::{AfterCreateMessage, BeforeCreateMessage, FilterMessages, PrePromptContext, UserPromptSubmit};
use hooks_core::verdict::{Halt, PromptDecision};
use hooks_core::{DispatchError, HookContext};

use crate::conversation::Conversation;
use crate::desk::Desk;
use crate::glimpse::Glimpses;
use crate::summary::Totals;
use tools::Pending;

/// Carries `conversation` through the hooks of `desk`. `name` is what the hooks are told where it has no id.
///
/// # Errors
/// [`DispatchError`] where a required hook failed: the conversation is not to be stored then.
pub fn replay(
    desk: &Desk,
    conversation: Conversation,
    name: &str,
    glimpses: &mut Glimpses,
) -> Result<(Conversation, Totals), DispatchError> {
    let id = conversation.id().unwrap_or(name).to_owned();
    let cx = desk.cx.to_builder().conversation(id).build();
    let mut replay = Replay {
        desk,
        cx,
        turn: 0,
        stored: Messages::default(),
        pending: Vec::new(),
        stopped: None,
        totals: Totals { conversations: 1, ..Totals::default() },
        glimpses,
    };
    replay.totals.messages_in = conversation.messages.len() as u64;
    for message in conversation.messages {
        replay.message(message)?;
    }
    replay.totals.messages_out = replay.stored.len() as u64;
    Ok((Conversation { messages: replay.stored.to_vec(), fields: conversation.fields }, replay.totals))
}

/// A conversation under way.
struct Replay<'a> {
    desk: &'a Desk,
    cx: HookContext,
    turn: u64,
    stored: Messages,
    /// Calls that wait for their results.
    pending: Vec<Pending>,
    /// Why the turn ended early, until the next one begins.
    stopped: Option<String>,
    totals: Totals,
    glimpses: &'a mut Glimpses,
}

impl Replay<'_> {
    fn message(&mut self, message: Message) -> Result<(), DispatchError> {
        match message.role {
            Role::User => {
                self.turn += 1;
                self.stopped = None;
                self.cx = self.cx.to_builder().turn(self.turn).build();
                self.store(message)?;
                self.begin_turn()
            }
            Role::Assistant => {
                // The gate judges the call as the model made it, not as it is stored.
                let calls: Vec<_> = message.tool_calls().cloned().collect();
                self.store(self.unless_stopped(message))?;
                calls.into_iter().try_for_each(|call| self.gate(call))
            }
            Role::Tool => {
                let row = self.answered(message)?;
                self.store(row)
            }
            // Instructions begin no turn.
            _ => self.store(message),
        }
    }

    fn store(&mut self, message: Message) -> Result<(), DispatchError> {
        let before = message.clone();
        let fired = self.desk.hooks.fire_blocking(&self.cx, &BeforeCreateMessage::new(), message)?;
        self.glimpses.stored(&before, &fired.subject);
        self.stop(fired.report.halt.clone());
        self.stored.push(fired.subject.clone());
        let fired = self.desk.hooks.fire_blocking(&self.cx, &AfterCreateMessage::new(fired.subject), ())?;
        self.stop(fired.report.halt.clone());
        Ok(())
    }

    /// The prompt is the last stored message. What the model would read is counted; there is no model to read it.
    fn begin_turn(&mut self) -> Result<(), DispatchError> {
        let hooks = &self.desk.hooks;
        let prompt = self.stored.last().map(|message| message.text().into_owned()).unwrap_or_default();

        let event = UserPromptSubmit::new(prompt.as_str(), self.stored.clone());
        let submitted = hooks.fire_blocking(&self.cx, &event, self.stored.clone())?;
        self.totals.contexts += submitted.verdict.contexts.len() as u64;
        if let PromptDecision::Stop(reason) | PromptDecision::Block(reason) = submitted.verdict.decision {
            self.stopped = Some(reason.to_string());
        }
        self.stop(submitted.report.halt.clone());
        if self.stopped.is_some() {
            return Ok(());
        }

        let event = PrePromptContext::new(prompt).history(submitted.subject.clone());
        let context = hooks.fire_blocking(&self.cx, &event, ())?;
        self.totals.contexts += context.verdict.iter().count() as u64;
        self.stop(context.report.halt.clone());

        let read = submitted.subject.len();
        let filtered = hooks.fire_blocking(&self.cx, &FilterMessages::new(), submitted.subject)?;
        self.totals.left_out += read.saturating_sub(filtered.subject.len()) as u64;
        self.stop(filtered.report.halt.clone());
        Ok(())
    }

    /// Remembers the first halt of a turn: what was recorded after it is not said and not run.
    fn stop(&mut self, halt: Option<Halt>) {
        if let (None, Some(halt)) = (&self.stopped, halt) {
            self.stopped = Some(halt.reason.to_string());
        }
    }

    /// What the model would not have said keeps its place, but not its words.
    fn unless_stopped(&self, mut message: Message) -> Message {
        if let Some(reason) = &self.stopped {
            for block in &mut message.content {
                if let Block::Text(text) = block {
                    text.text = format!("[not said, the turn had ended: {reason}]");
                }
            }
        }
        message
    }
}
