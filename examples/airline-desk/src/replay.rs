//! Replays a recorded conversation through the loop.
//!
//! The recording replaces the model and the tools. The hooks decide what is stored, what is shown and what may run, and
//! nothing else changes: there are as many messages in the output as in the input, and each call keeps its result. The
//! whole output went through the hooks at `before_create_message`.

mod rows;
mod turn;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hook_sdk::data::{Block, Message, Messages, Role, ToolCall, ToolResult};
use hook_sdk::kinds::{AfterToolCallSuccess, SessionEndReason};
use hook_sdk::protocol::Approval;
use hooks_agent::approve::{ApprovalRequest, Approver};
use hooks_agent::model::Recording;
use hooks_agent::{Limits, Session, TurnError};
use serde_json::Value;

use crate::conversation::Conversation;
use crate::desk::{Answer, Desk};
use crate::glimpse::Glimpses;
use crate::summary::Totals;

/// Replays `conversation` with the hooks of `desk`. `name` is its id for hooks if it has none.
///
/// # Errors
/// [`TurnError`] if a required hook fails. The conversation must not be stored then.
pub async fn replay(
    desk: &Desk,
    conversation: Conversation,
    name: &str,
    glimpses: &mut Glimpses,
) -> Result<(Conversation, Totals), TurnError> {
    let id = conversation.id().unwrap_or(name).to_owned();
    let fields = conversation.fields;
    let recorded = Messages::from(conversation.messages);
    let approved = Arc::new(AtomicU64::new(0));
    let recording = Recording::of(&recorded);
    let harness = desk
        .harness()
        .unchecked("the tools are those of the recording")
        .model("recorded", recording.model())
        .tools(recording.tools())
        .approver(approver(desk.answer, Arc::clone(&approved)))
        .limits(limits())
        .build()?;
    if let Some(trace) = &desk.trace {
        trace.note(format!("conversation {id}"));
    }
    let session = harness.session(id, desk.agent.clone()).open().await?;
    let mut totals = Totals { conversations: 1, messages_in: recorded.len() as u64, ..Totals::default() };
    totals.calls = recorded.iter().flat_map(Message::tool_calls).count() as u64;
    let mut replay = Replay { desk, session, totals, glimpses, stored: Vec::with_capacity(recorded.len()), turns: 0 };
    let mut rest = recorded.as_slice();
    while let Some(first) = rest.first() {
        let next = rest.iter().skip(1).position(is_prompt).map_or(rest.len(), |at| at + 1);
        let (part, after) = rest.split_at(next);
        if is_prompt(first) {
            replay.turn(part).await?;
        } else {
            // Messages before the first prompt do not belong to a turn.
            for message in part {
                let row = replay.keep(message.clone(), None).await?;
                replay.stored.push(row);
            }
        }
        rest = after;
    }
    let Replay { session, mut totals, stored, .. } = replay;
    session.close(SessionEndReason::from("recorded")).await?;
    totals.messages_out = stored.len() as u64;
    totals.approved = approved.load(Ordering::Relaxed);
    Ok((Conversation { messages: stored, fields }, totals))
}

/// A running replay of a conversation.
struct Replay<'a> {
    desk: &'a Desk,
    session: Session,
    totals: Totals,
    glimpses: &'a mut Glimpses,
    /// The output so far.
    stored: Vec<Message>,
    turns: u64,
}

impl Replay<'_> {
    /// Stores a message that no turn stored: one outside of all turns or, if `stopped` contains a reason, one after the
    /// end of its turn.
    async fn keep(&mut self, message: Message, stopped: Option<&str>) -> Result<Message, TurnError> {
        let message = match stopped {
            Some(reason) => rows::unsaid(message, reason),
            None => self.shown(message).await?,
        };
        let row = self.session.add(self.desk.prompt.as_ref(), message.clone()).await?;
        if let Some(trace) = &self.desk.trace {
            trace.stored(&row.message);
        }
        self.glimpses.stored(&message, &row.message);
        Ok(row.message)
    }

    /// Runs the hooks that see tool results for a result without a call, because the model would see it too.
    async fn shown(&mut self, mut message: Message) -> Result<Message, TurnError> {
        let Some(Block::ToolResult(block)) = message.content.first().filter(|_| message.role == Role::Tool) else {
            return Ok(message);
        };
        let call = ToolCall::new(&block.call_id, block.name.as_deref().unwrap_or_default(), Value::Null);
        let mut result = ToolResult::default();
        result.content.clone_from(&block.content);
        let fired =
            self.desk.hooks().fire(&self.desk.cx, &AfterToolCallSuccess::new(call.clone(), call.input), result).await;
        let content = match fired.map_err(TurnError::Dispatch)?.subject {
            Some(result) => result.content.clone(),
            None => {
                self.totals.removed += 1;
                vec![Block::from("[result removed]")]
            }
        };
        if let Some(Block::ToolResult(block)) = message.content.first_mut() {
            block.content = content;
        }
        Ok(message)
    }
}

/// Whether `message` begins a turn.
fn is_prompt(message: &Message) -> bool {
    message.role == Role::User && !message.content.iter().any(|block| matches!(block, Block::ToolResult(_)))
}

/// Answers the questions of gates according to the command line, and counts approvals.
fn approver(answer: Answer, approved: Arc<AtomicU64>) -> impl Approver {
    move |request: &ApprovalRequest| match answer {
        _ if request.deferred => Approval::No("It was put off, and a recording does not wait".to_owned()),
        Answer::No => Approval::No("The answer was no".to_owned()),
        Answer::Yes => {
            approved.fetch_add(1, Ordering::Relaxed);
            Approval::Yes
        }
    }
}

/// Without limits, because the recording ends by itself.
fn limits() -> Limits {
    let mut limits = Limits::default();
    (limits.iterations, limits.repeats, limits.result_chars) = (u32::MAX, u32::MAX, usize::MAX);
    limits
}
