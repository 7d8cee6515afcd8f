use std::collections::HashSet;

use super::block::Block;
use super::call::ToolCall;
use super::message::{Message, Role};
use super::shared::shared;
use super::validation;
use super::violation::Violation;

shared! {
    /// A list of messages: a conversation, or the part of it that is sent to a model.
    ///
    /// ```
    /// use hook_sdk::data::{Message, Messages, Role};
    ///
    /// let mut messages = Messages::from(vec![Message::new(Role::User, "hello"), Message::new(Role::Assistant, "hi")]);
    /// messages.retain(|message| message.role == Role::User);
    /// assert_eq!(messages.len(), 1);
    /// ```
    Messages(Vec<Message>) in pool
}

impl Messages {
    /// Checks a rule of every provider: a tool result follows its call, and every call has a result. Only violations
    /// that the change from `before` introduced count.
    pub(crate) fn check_pairs(before: &Self, after: &Self) -> Result<(), Violation> {
        let old = OpenPairs::of(before);
        let new = OpenPairs::of(after);
        if let Some(id) = new.results.difference(&old.results).min() {
            return Err(Violation::new(format!(
                "the result of tool call `{id}` has no call before it; keep both or remove both"
            )));
        }
        if let Some(id) = new.calls.difference(&old.calls).min() {
            return Err(Violation::new(format!("tool call `{id}` has no result; keep both or remove both")));
        }
        Ok(())
    }

    /// Checks like [`check_pairs`](Self::check_pairs), and that blocks of known types are well formed.
    pub(crate) fn check_history(before: &Self, after: &Self) -> Result<(), Violation> {
        if before.len() != after.len() {
            validation::blocks(before.blocks(), after.blocks())?;
            return Self::check_pairs(before, after);
        }
        // Only changed messages are checked: most messages of a long history are untouched.
        let changed = || before.iter().zip(after.iter()).filter(|(old, new)| old != new);
        let old = || changed().flat_map(|(old, _)| &old.content);
        let new = || changed().flat_map(|(_, new)| &new.content);
        validation::blocks(old(), new())?;
        let of_tools = |block: &Block| matches!(block, Block::ToolUse(_) | Block::ToolResult(_));
        if old().chain(new()).any(of_tools) { Self::check_pairs(before, after) } else { Ok(()) }
    }

    /// Checks like [`check_history`](Self::check_history), and that no instructions were added: providers reject a
    /// message of the role `system` in the middle of a conversation, and it would stay in the conversation for good.
    pub(crate) fn check_conversation(before: &Self, after: &Self) -> Result<(), Violation> {
        let instructions = |messages: &Self| {
            messages.iter().filter(|message| matches!(message.role, Role::System | Role::Developer)).count()
        };
        if instructions(after) > instructions(before) {
            return Err(Violation::new(
                "a message of the role `system` was added to the conversation; add a context, or change the system prompt at `pre_model_call`",
            ));
        }
        Self::check_history(before, after)
    }

    /// The tool calls that have no result.
    pub fn open_calls(&self) -> impl Iterator<Item = &ToolCall> {
        let open = OpenPairs::of(self).calls;
        self.iter().flat_map(Message::tool_calls).filter(move |call| open.contains(call.id.as_str()))
    }

    fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.iter().flat_map(|message| &message.content)
    }
}

impl FromIterator<Message> for Messages {
    fn from_iter<I: IntoIterator<Item = Message>>(messages: I) -> Self {
        messages.into_iter().collect::<Vec<_>>().into()
    }
}

impl Extend<Message> for Messages {
    fn extend<I: IntoIterator<Item = Message>>(&mut self, messages: I) {
        (**self).extend(messages);
    }
}

/// The ids of calls without a result and of results without a call.
struct OpenPairs<'a> {
    calls: HashSet<&'a str>,
    results: HashSet<&'a str>,
}

impl<'a> OpenPairs<'a> {
    fn of(messages: &'a Messages) -> Self {
        let mut open = Self { calls: HashSet::new(), results: HashSet::new() };
        for block in messages.iter().flat_map(|message| &message.content) {
            match block {
                Block::ToolUse(call) => {
                    open.calls.insert(&call.id);
                }
                Block::ToolResult(result) if !open.calls.remove(result.call_id.as_str()) => {
                    open.results.insert(&result.call_id);
                }
                _ => {}
            }
        }
        open
    }
}
