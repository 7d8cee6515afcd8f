//! What the model is told, and what it is spared, when a turn begins.

use std::collections::HashSet;

use hooks_core::data::{Block, Message, Messages};
use hooks_core::hook;
use hooks_core::kinds::{PrePromptContext, UserPromptSubmit};
use hooks_core::verdict::{Contribution, PromptVerdict};

use crate::mask::Masks;

/// The tool with which a model thinks aloud.
const THINK: &str = "think";

/// Leaves what the model thought aloud in earlier turns out of what it reads: each such call with its result.
#[hook(id = "forget_thoughts", kind = filter_messages)]
pub(crate) fn forget_thoughts(mut messages: Messages) -> Messages {
    // The list is shared with the store; it is copied only where something goes.
    if messages.iter().any(is_thought) {
        // A result goes if its call went. Ids come again in long conversations, so the latest call counts.
        let mut gone = HashSet::new();
        messages.retain(|message| {
            let thought = is_thought(message);
            for call in message.tool_calls() {
                if thought {
                    gone.insert(call.id.clone())
                } else {
                    gone.remove(&call.id)
                };
            }
            let answers_thought =
                |block: &Block| matches!(block, Block::ToolResult(result) if gone.contains(&result.call_id));
            !thought && !message.content.iter().any(answers_thought)
        });
    }
    messages
}

/// A message that calls `think` and does nothing else.
fn is_thought(message: &Message) -> bool {
    let silent = |block: &Block| matches!(block, Block::ToolUse(_)) || block.as_text().is_some_and(str::is_empty);
    message.tool_calls().next().is_some()
        && message.tool_calls().all(|call| call.name == THINK)
        && message.content.iter().all(silent)
}

/// Tells the model that something of the prompt is masked on the way in, so that it does not ask for it again.
#[hook(id = "explain_masks", kind = user_prompt_submit)]
pub(crate) fn explain_masks(event: &UserPromptSubmit) -> Result<PromptVerdict, regex::Error> {
    // The prompt is as it was written; it is masked when it is stored.
    Ok(if Masks::get()?.personal(&event.prompt).is_some() {
        PromptVerdict::context("The customer's e-mail address or birth date is masked; look it up by the user id.")
    } else {
        PromptVerdict::default()
    })
}

/// Puts the rules of cancelling beside a prompt that is about it.
#[hook(id = "cancel_policy", kind = pre_prompt_context)]
pub(crate) fn cancel_policy(event: &PrePromptContext) -> Option<Contribution> {
    let about = ["cancel", "refund"].iter().any(|word| event.prompt.to_lowercase().contains(word));
    about.then(|| {
        Contribution::prompt_context(
            "policy",
            "cancellation",
            "Within 24 hours of booking any reservation may be cancelled; later only business class or with insurance.",
        )
    })
}
