use hooks_macros::__event as event;

use crate::data::{Message, MessageUpdate, Role};

/// Fires before a message is stored: hooks may rewrite the row, but must keep its tool calls and results, in order.
#[event(name = "before_create_message", subject = Message, check = Message::check_row, new)]
#[derive(Default, Eq)]
pub struct BeforeCreateMessage {}

/// Fires when a message has been stored.
#[event(name = "after_create_message", match(role: Role = message.role), new(message))]
pub struct AfterCreateMessage {
    /// The stored row.
    pub message: Message,
    /// The id of the row, which later changes of the row refer to; `None` if the harness has none.
    pub message_id: Option<String>,
}

/// Fires before a stored message is changed: hooks may rewrite the change.
#[event(name = "before_update_message", subject = MessageUpdate, check = MessageUpdate::check, new(message_id))]
#[derive(Default, Eq)]
pub struct BeforeUpdateMessage {
    /// The id of the row.
    pub message_id: String,
}

/// Fires when a stored message has been changed.
#[event(name = "after_update_message", match(role: Role = message.role), new(message_id, message))]
pub struct AfterUpdateMessage {
    /// The id of the row.
    pub message_id: String,
    /// The row after the change.
    pub message: Message,
    /// The change.
    pub update: MessageUpdate,
}
