//! Messages that the loop injects into a conversation.

use hook_sdk::data::{Message, Role};

const PROMPT: &str = "user-prompt-submit-hook";
const TOOLS: &str = "tool-hook-context";
const SUMMARY: &str = "conversation-summary";
const FOLLOW_UP: &str = "<system-reminder>a stop hook asks to go on</system-reminder>\n";

/// The context of a hook at `user_prompt_submit`. Not stored.
pub(crate) fn prompt_context(text: &str) -> Message {
    Message::new(Role::User, format!("<{PROMPT}>\n{text}\n</{PROMPT}>"))
}

/// Contexts that hooks add to tool results. Not stored.
pub(crate) fn tool_contexts(texts: &[String]) -> Message {
    Message::new(Role::User, format!("<{TOOLS}>\n{}\n</{TOOLS}>", texts.join("\n\n")))
}

/// What a hook at `stop` asks the model to do next. Stored.
pub(crate) fn follow_up(text: &str) -> Message {
    Message::new(Role::User, format!("{FOLLOW_UP}{text}"))
}

/// Whether `message` was injected for one turn only and is not stored.
pub(crate) fn is_injected(message: &Message) -> bool {
    let text = message.text();
    let wrapped = |tag: &str| text.starts_with(&format!("<{tag}>\n")) && text.ends_with(&format!("\n</{tag}>"));
    message.role == Role::User && (wrapped(PROMPT) || wrapped(TOOLS))
}

/// The message that contains the summary of a compaction. Stored.
pub(crate) fn summary(text: &str) -> Message {
    Message::new(Role::User, format!("<{SUMMARY}>\n{text}\n</{SUMMARY}>"))
}

/// Whether `message` is the summary of a compaction.
pub(crate) fn is_summary(message: &Message) -> bool {
    message.role == Role::User && message.text().starts_with(&format!("<{SUMMARY}>\n"))
}

/// The request for a summary, as the last message of the call.
pub(crate) fn asks_for_summary() -> Message {
    Message::new(Role::User, "Sum up the conversation above. Answer with the summary and nothing else.")
}
