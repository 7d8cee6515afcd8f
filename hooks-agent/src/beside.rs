//! What the loop puts beside what was said, in messages of its own.

use hooks_core::data::{Message, Role};

const PROMPT: &str = "user-prompt-submit-hook";
const TOOLS: &str = "tool-hook-context";
const FOLLOW_UP: &str = "<system-reminder>a stop hook asks to go on</system-reminder>\n";

/// The context of a hook at `user_prompt_submit`. It is not stored.
pub(crate) fn prompt(text: &str) -> Message {
    Message::new(Role::User, format!("<{PROMPT}>\n{text}\n</{PROMPT}>"))
}

/// What hooks put beside the results of tools. It is not stored.
pub(crate) fn results(texts: &[String]) -> Message {
    Message::new(Role::User, format!("<{TOOLS}>\n{}\n</{TOOLS}>", texts.join("\n\n")))
}

/// What a hook at `stop` wants to be done yet. It is stored.
pub(crate) fn follow_up(text: &str) -> Message {
    Message::new(Role::User, format!("{FOLLOW_UP}{text}"))
}

/// Whether `message` stands beside the conversation and is not stored.
pub(crate) fn is(message: &Message) -> bool {
    let text = message.text();
    let wrapped = |tag: &str| text.starts_with(&format!("<{tag}>\n")) && text.ends_with(&format!("\n</{tag}>"));
    message.role == Role::User && (wrapped(PROMPT) || wrapped(TOOLS))
}

/// Whether a person says `message`, and not the loop in a person's place.
pub(crate) fn is_of_a_person(message: &Message) -> bool {
    message.role == Role::User && !is(message) && !message.text().starts_with(FOLLOW_UP)
}
