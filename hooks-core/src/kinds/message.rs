use serde::{Deserialize, Serialize};

use crate::HookKind;
use crate::data::Message;

/// Fires before a message is stored: hooks may rewrite the row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "before_create_message", subject = Message)]
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
#[hook_kind(name = "after_create_message", match(role = message.role))]
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
