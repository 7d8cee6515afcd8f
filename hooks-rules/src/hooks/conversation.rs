//! What rules need of the conversation between their events: a transcript, and what was said to the model about a call.

use std::sync::Arc;

use hooks_core::Hook;
use hooks_core::data::{Block, ResultRow, Role};
use hooks_core::hook::NotSelected;
use hooks_core::kinds::{AfterCreateMessage, BeforeStoreToolResult};

use crate::firing::Shared;

/// Writes down what is stored, and sees where a tool was called.
pub(crate) fn follow(shared: Arc<Shared>) -> Hook {
    let hook = Hook::at::<AfterCreateMessage>("rules_conversation").reader(move |cx, event, ()| {
        shared.transcribe(cx, &event.message);
        if event.message.role == Role::Assistant && event.message.tool_calls().next().is_some() {
            shared.got_on(cx);
        }
        // It only looks on: nothing of the app's came of it.
        Err::<(), _>(NotSelected)
    });
    hook.description(
        "Writes the conversation down for the scripts of rules, and counts how often they continue a turn.",
    )
}

/// What rules said to the model before a call goes with what the tool answered. A call that did not run has no answer
/// that it could go with: then it is part of the row that says so.
pub(crate) fn leftover(shared: Arc<Shared>) -> Hook {
    let hook = Hook::at::<BeforeStoreToolResult>("rules_tool_result").writer(move |cx, event, row: &mut ResultRow| {
        let texts = shared.take_contexts(cx, &event.call.id);
        if texts.is_empty() {
            return Err(NotSelected);
        }
        row.content.extend(texts.into_iter().map(Block::from));
        Ok(())
    });
    hook.description("Tells the model what rules said about a call that did not run.")
}
