//! Hooks that follow the conversation between the events of rules: for the transcript, and for contexts of tool calls.

use std::sync::Arc;

use hook_sdk::Hook;
use hook_sdk::data::{Block, ResultRow, Role};
use hook_sdk::hook::{NotSelected, OnFailure};
use hook_sdk::kinds::{AfterCreateMessage, BeforeStoreToolResult};

use crate::runner::Shared;

/// Writes stored messages to the transcript, and records tool calls.
pub(crate) fn follow(shared: Arc<Shared>) -> Hook {
    let hook = Hook::at::<AfterCreateMessage>("rules_conversation").reader(move |cx, event, ()| {
        shared.transcribe(cx, &event.message);
        if event.message.role == Role::Assistant && event.message.tool_calls().next().is_some() {
            shared.got_on(cx);
        }
        // It only observes, so it should not appear as selected.
        Err::<(), _>(NotSelected)
    });
    hook.description("Writes the transcript for the scripts of rules, and counts how often rules continue a turn.")
}

/// Delivers contexts from rules before a call. Normally they are delivered with the result of the tool. This hook adds
/// the contexts of a call that did not run to the row with its result.
pub(crate) fn leftover(shared: Arc<Shared>) -> Hook {
    let hook = Hook::at::<BeforeStoreToolResult>("rules_tool_result").writer(move |cx, event, row: &mut ResultRow| {
        let texts = shared.take_contexts(cx, &event.call.id);
        if texts.is_empty() {
            return Err(NotSelected);
        }
        row.content.extend(texts.into_iter().map(Block::from));
        Ok(())
    });
    // Without its contexts, the result is still what happened.
    let hook = hook.on_failure(OnFailure::Continue);
    hook.description("Adds the contexts of rules to the result of a call that did not run.")
}
