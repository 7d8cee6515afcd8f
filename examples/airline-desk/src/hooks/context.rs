//! Hooks that add context at the beginning of a turn, or remove it.

use std::collections::HashSet;

use hook_sdk::data::{Block, Message, Messages};
use hook_sdk::hook;
use hook_sdk::kinds::{PrePromptContext, UserPromptSubmit};
use hook_sdk::verdict::{Contribution, PromptVerdict};

use crate::mask::Masks;

/// The tool in which a model writes down its reasoning.
const THINK: &str = "think";

/// Removes the reasoning of earlier turns from the model's input: each call of `think` with its result.
#[hook(id = "forget_thoughts", kind = filter_messages)]
pub(crate) fn forget_thoughts(mut messages: Messages) -> Messages {
    // The list is shared with the store, so it is copied only if something is removed.
    if messages.iter().any(is_thought) {
        // Results are removed together with their calls. Ids repeat in long conversations, so the latest call counts.
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

/// Whether a message only calls `think`.
fn is_thought(message: &Message) -> bool {
    let silent = |block: &Block| matches!(block, Block::ToolUse(_)) || block.as_text().is_some_and(str::is_empty);
    message.tool_calls().next().is_some()
        && message.tool_calls().all(|call| call.name == THINK)
        && message.content.iter().all(silent)
}

/// Tells the model that a part of the prompt is masked, so that it does not ask for it again.
#[hook(id = "explain_masks", kind = user_prompt_submit)]
pub(crate) fn explain_masks(event: &UserPromptSubmit) -> Result<PromptVerdict, regex::Error> {
    // The prompt is unmasked here. It is masked when it is stored.
    Ok(if Masks::get()?.personal(&event.prompt).is_some() {
        PromptVerdict::context("The customer's e-mail address or birth date is masked; look it up by the user id.")
    } else {
        PromptVerdict::default()
    })
}

/// Adds the rules for cancellations to a prompt that concerns them.
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
