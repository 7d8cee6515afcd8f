use serde::{Deserialize, Serialize};

use crate::HookKind;
use crate::data::{Message, MessageUpdate, Role};

/// Fires before a message is stored: hooks may rewrite the row, but must keep its tool calls and results, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "before_create_message", subject = Message, check = Message::check_row, new, json)]
#[non_exhaustive]
pub struct BeforeCreateMessage {}

/// Fires when a message has been stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "after_create_message", match(role: Role = message.role), new(message), json)]
#[non_exhaustive]
pub struct AfterCreateMessage {
    /// The stored row.
    pub message: Message,
    /// The id of the row, which later changes of the row refer to; `None` if the harness has none.
    pub message_id: Option<String>,
}

/// Fires before a stored message is changed: hooks may rewrite the change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(
    name = "before_update_message",
    subject = MessageUpdate,
    check = MessageUpdate::check,
    new(message_id),
    json
)]
#[non_exhaustive]
pub struct BeforeUpdateMessage {
    /// The id of the row.
    pub message_id: String,
}

/// Fires when a stored message has been changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "after_update_message", match(role: Role = message.role), new(message_id, message), json)]
#[non_exhaustive]
pub struct AfterUpdateMessage {
    /// The id of the row.
    pub message_id: String,
    /// The row after the change.
    pub message: Message,
    /// The change.
    #[serde(default)]
    pub update: MessageUpdate,
}
