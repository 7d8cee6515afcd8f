use serde::{Deserialize, Serialize};

use super::words::setters;
use crate::HookKind;
use crate::data::{Message, MessageUpdate, Role};

/// Fires before a message is stored: hooks may rewrite the row, but not which calls it makes or answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "before_create_message", subject = Message, check = Message::check_row, json)]
#[non_exhaustive]
pub struct BeforeCreateMessage {}

impl BeforeCreateMessage {
    /// A message is about to be stored.
    pub fn new() -> Self {
        Self {}
    }
}

/// Fires when a message has been stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "after_create_message", match(role: Role = message.role), json)]
#[non_exhaustive]
pub struct AfterCreateMessage {
    /// The row as it is stored.
    pub message: Message,
}

impl AfterCreateMessage {
    /// `message` has been stored.
    pub fn new(message: Message) -> Self {
        Self { message }
    }
}

/// Fires before a stored message is changed: hooks may rewrite the change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "before_update_message", subject = MessageUpdate, check = MessageUpdate::check, json)]
#[non_exhaustive]
pub struct BeforeUpdateMessage {
    /// The id of the row.
    pub message_id: String,
}

impl BeforeUpdateMessage {
    /// The row `message_id` is about to be changed.
    pub fn new(message_id: impl Into<String>) -> Self {
        Self { message_id: message_id.into() }
    }
}

/// Fires when a stored message has been changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "after_update_message", match(role: Role = message.role), json)]
#[non_exhaustive]
pub struct AfterUpdateMessage {
    /// The id of the row.
    pub message_id: String,
    /// The row as it is stored now.
    pub message: Message,
    /// What was changed.
    #[serde(default)]
    pub update: MessageUpdate,
}

impl AfterUpdateMessage {
    /// The row `message_id` is now `message`.
    pub fn new(message_id: impl Into<String>, message: Message) -> Self {
        Self { message_id: message_id.into(), message, update: MessageUpdate::default() }
    }
}

setters!(AfterUpdateMessage {
    /// What was changed.
    update: MessageUpdate,
});
