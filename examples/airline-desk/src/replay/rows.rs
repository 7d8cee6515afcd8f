//! Maps the rows that a turn stored to the recorded messages.

use hook_sdk::data::{Block, Message, Messages, Role, ToolCall, ToolResultBlock};

/// The replacement of a recorded message.
pub(super) struct Placed {
    pub(super) message: Message,
    /// If the message is a tool result, the call as the loop has it.
    pub(super) call: Option<ToolCall>,
}

/// The row in `stored` for each of the `recorded` messages of a turn: the prompt, the answers in order, and the results
/// of their calls. `None` if the loop stored no such row.
pub(super) fn placed(recorded: &[Message], stored: &Messages) -> Vec<Option<Placed>> {
    let mut prompt = stored.first().filter(|row| row.role == Role::User);
    let mut answers = stored.iter().filter(|row| row.role == Role::Assistant);
    // Calls without a result so far: the recorded id, and the call as the loop has it.
    let mut open: Vec<(String, ToolCall)> = Vec::new();
    let place = |message: &Message| match message.role {
        Role::User => prompt.take().map(|row| Placed { message: said(message, row), call: None }),
        Role::Assistant => {
            let row = answers.next()?;
            open.extend(message.tool_calls().map(|call| call.id.clone()).zip(row.tool_calls().cloned()));
            Some(Placed { message: said(message, row), call: None })
        }
        Role::Tool => {
            let wanted = block_of(message)?;
            let at = open.iter().position(|(id, _)| *id == wanted.call_id)?;
            let (_, call) = open.remove(at);
            let block = stored.iter().filter_map(block_of).find(|block| block.call_id == call.id)?;
            Some(Placed { message: answered(message, block), call: Some(call) })
        }
        _ => None,
    };
    recorded.iter().map(place).collect()
}

/// The recorded message with the stored content. Its calls keep their ids, although the loop changes duplicate ids.
fn said(recorded: &Message, row: &Message) -> Message {
    let mut message = recorded.clone();
    if message.content != row.content {
        let ids: Vec<String> = recorded.tool_calls().map(|call| call.id.clone()).collect();
        message.content.clone_from(&row.content);
        let calls = message.content.iter_mut().filter_map(|block| match block {
            Block::ToolUse(call) => Some(call),
            _ => None,
        });
        for (call, id) in calls.zip(ids) {
            call.id = id;
        }
    }
    if message.extra != row.extra {
        message.extra.clone_from(&row.extra);
    }
    message
}

/// The recorded result with the stored content.
fn answered(recorded: &Message, row: &ToolResultBlock) -> Message {
    let mut message = recorded.clone();
    // Extra fields of a result are stored too.
    message.extra.clone_from(&row.extra);
    if let Some(Block::ToolResult(block)) = message.content.first_mut() {
        block.content.clone_from(&row.content);
    }
    message
}

/// A placeholder for a message after the end of its turn: it keeps the ids of its calls and results, but not its
/// content.
pub(super) fn unsaid(mut message: Message, reason: &str) -> Message {
    let instead = match message.role {
        Role::User => format!("[not taken: {reason}]"),
        Role::Assistant | Role::Tool => format!("[not said, the turn had ended: {reason}]"),
        // System messages are not replaced.
        _ => return message,
    };
    for block in &mut message.content {
        match block {
            Block::Text(text) => text.text.clone_from(&instead),
            Block::ToolResult(block) => {
                block.content = vec![Block::from(format!("Not run, the turn ended: {reason}"))];
            }
            _ => {}
        }
    }
    message
}

fn block_of(message: &Message) -> Option<&ToolResultBlock> {
    message.content.iter().find_map(|block| match block {
        Block::ToolResult(block) => Some(block),
        _ => None,
    })
}
