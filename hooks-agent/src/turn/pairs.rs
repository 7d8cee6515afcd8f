//! Calls and their results, where something else than a turn parted them.

use std::collections::HashSet;

use hooks_core::data::{Block, Message, Messages, Role, ToolCall, ToolResult};

/// What the model reads in place of a result that nobody stored.
const LOST: &str = "No result is stored: what ran this call ended before, and may have done it";

/// `messages` as providers take them: each call with a result behind it, and no result without its call.
///
/// A turn leaves a conversation so, whatever happens in it. But a program may be killed between the two, or its store take
/// no more rows, and then each later turn would be refused. What is stored is left as it is: another program may be about
/// to store the result.
pub(super) fn paired(mut messages: Messages) -> Messages {
    let mut called = HashSet::new();
    let mut answered = HashSet::new();
    let mut orphans = false;
    for block in messages.iter().flat_map(|message| &message.content) {
        match block {
            Block::ToolUse(call) => {
                called.insert(call.id.clone());
            }
            Block::ToolResult(result) if called.contains(&result.call_id) => {
                answered.insert(result.call_id.clone());
            }
            Block::ToolResult(_) => orphans = true,
            _ => {}
        }
    }
    if orphans {
        messages = without_orphans(messages);
    }
    if called.len() == answered.len() {
        return messages;
    }
    let (mut paired, mut open) = (Vec::with_capacity(messages.len() + 1), Vec::new());
    for message in messages.iter() {
        // Behind the results that there are, which follow their calls.
        if !message.content.iter().any(is_result) {
            paired.extend(open.drain(..).map(lost));
        }
        open.extend(message.tool_calls().filter(|call| !answered.contains(&call.id)));
        paired.push(message.clone());
    }
    paired.extend(open.drain(..).map(lost));
    paired.into()
}

fn without_orphans(mut messages: Messages) -> Messages {
    let mut called = HashSet::new();
    messages.retain_mut(|message| {
        let before = message.content.len();
        message.content.retain(|block| match block {
            Block::ToolUse(call) => {
                called.insert(call.id.clone());
                true
            }
            Block::ToolResult(result) => called.contains(&result.call_id),
            _ => true,
        });
        message.content.len() == before || !message.content.is_empty()
    });
    messages
}

fn is_result(block: &Block) -> bool {
    matches!(block, Block::ToolResult(_))
}

fn lost(call: &ToolCall) -> Message {
    Message::of(Role::Tool, vec![ToolResult::error(LOST).into_block(call)])
}
