//! Calls and their results, where something else than a turn parted them.

use std::collections::{HashSet, VecDeque};

use hooks_core::data::{Block, Message, Messages, Role, ToolCall, ToolResult};

/// What the model reads in place of a result that nobody stored.
pub(super) const LOST: &str = "No result is stored: what ran this call ended before, and may have done it";

/// `messages` as providers take them: the results of a message's calls right behind it, and no result without its call.
///
/// A turn leaves a conversation so, whatever happens in it. But a program may be killed between the two, or its store take
/// no more rows, or another one store a message there, and then each later turn would be refused. What is stored is left as
/// it is: another program may be about to store the result.
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
    if called.len() == answered.len() && !parted(&messages) {
        return messages;
    }
    let mut rest: VecDeque<&Message> = messages.iter().collect();
    let mut paired = Vec::with_capacity(messages.len() + 1);
    let mut open: Vec<&ToolCall> = Vec::new();
    // What stands between calls and their results goes behind these.
    let mut between = Vec::new();
    while let Some(message) = rest.pop_front() {
        let results = || message.content.iter().filter_map(result_of);
        if !open.is_empty() && !results().any(|id| open.iter().any(|call| call.id == id)) {
            if open.iter().any(|call| answered.contains(&call.id)) {
                between.push(message);
                continue;
            }
            paired.extend(open.drain(..).map(lost));
        }
        open.retain(|call| !results().any(|id| id == call.id));
        open.extend(message.tool_calls());
        paired.push(message.clone());
        if !open.iter().any(|call| answered.contains(&call.id)) {
            between.drain(..).rev().for_each(|message| rest.push_front(message));
        }
    }
    paired.extend(open.drain(..).map(lost));
    paired.into()
}

/// Whether something stands between a call and its result.
fn parted(messages: &Messages) -> bool {
    let mut open: Vec<&str> = Vec::new();
    messages.iter().any(|message| {
        let parted = !open.is_empty() && !message.content.iter().any(is_result);
        open.retain(|id| !message.content.iter().filter_map(result_of).any(|result| result == *id));
        open.extend(message.tool_calls().map(|call| call.id.as_str()));
        parted
    })
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
    result_of(block).is_some()
}

/// The id of the call that the block answers.
fn result_of(block: &Block) -> Option<&str> {
    match block {
        Block::ToolResult(result) => Some(&result.call_id),
        _ => None,
    }
}

fn lost(call: &ToolCall) -> Message {
    Message::of(Role::Tool, vec![ToolResult::error(LOST).into_block(call)])
}
