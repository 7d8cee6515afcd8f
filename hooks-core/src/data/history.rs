use std::collections::HashSet;

use super::block::Block;
use super::message::Message;
use super::shared::shared;
use crate::kind::Violation;

shared! {
    /// A list of messages: a conversation, or the part of it that is sent to a model.
    ///
    /// ```
    /// use hooks_core::data::{Message, Messages, Role};
    ///
    /// let mut messages = Messages::from(vec![Message::new(Role::User, "hello"), Message::new(Role::Assistant, "hi")]);
    /// messages.retain(|message| message.role == Role::User);
    /// assert_eq!(messages.len(), 1);
    /// ```
    Messages(Vec<Message>)
}

impl Messages {
    /// The rule of every provider, that a tool result follows its call and every call has its result, held against a
    /// change from `before`: only what the change broke is a violation.
    pub(crate) fn check_pairs(before: &Self, after: &Self) -> Result<(), Violation> {
        let old = Unpaired::of(before);
        let new = Unpaired::of(after);
        if let Some(id) = new.results.difference(&old.results).min() {
            return Err(Violation::new(format!(
                "the result of tool call `{id}` is there without its call before it; keep or drop both"
            )));
        }
        if let Some(id) = new.calls.difference(&old.calls).min() {
            return Err(Violation::new(format!("tool call `{id}` is there without its result; keep or drop both")));
        }
        Ok(())
    }
}

/// The ids of calls without a result and of results without a call.
struct Unpaired<'a> {
    calls: HashSet<&'a str>,
    results: HashSet<&'a str>,
}

impl<'a> Unpaired<'a> {
    fn of(messages: &'a Messages) -> Self {
        let mut unpaired = Self { calls: HashSet::new(), results: HashSet::new() };
        for block in messages.iter().flat_map(|message| &message.content) {
            match block {
                Block::ToolUse(call) => {
                    unpaired.calls.insert(&call.id);
                }
                Block::ToolResult(result) if !unpaired.calls.remove(result.call_id.as_str()) => {
                    unpaired.results.insert(&result.call_id);
                }
                _ => {}
            }
        }
        unpaired
    }
}
