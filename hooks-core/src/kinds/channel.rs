use hooks_macros::__event as event;
use serde::{Deserialize, Serialize};

use crate::data::Message;

/// Fires when a message has arrived from a channel, before any agent sees it: hooks may rewrite or drop it.
#[event(
    name = "message_received",
    subject = Message,
    removable,
    check = Message::check_blocks,
    outside_turn,
    match(channel, sender),
    new(channel)
)]
#[derive(Default, Eq)]
pub struct MessageReceived {
    /// The channel of the message, such as `mail`.
    pub channel: String,
    /// The author of the message; empty if the channel does not provide it.
    pub sender: String,
    /// The message's id in the channel.
    pub id: Option<String>,
    /// The thread or group it belongs to.
    pub thread: Option<String>,
}

/// Fires before a message is sent to a channel: hooks may rewrite it or hold it back.
#[event(
    name = "message_sending",
    subject = Message,
    removable,
    check = Message::check_blocks,
    outside_turn,
    match(channel, recipient),
    new(channel)
)]
#[derive(Default, Eq)]
pub struct MessageSending {
    /// The channel that the message is sent to.
    pub channel: String,
    /// The recipient; empty if the channel does not provide it.
    pub recipient: String,
    /// The thread or group it belongs to.
    pub thread: Option<String>,
}

/// The outcome of sending a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Delivery {
    /// The channel accepted the message.
    Sent {
        /// The message's id in the channel.
        id: Option<String>,
    },
    /// The channel rejected the message.
    Failed {
        /// The error from the channel.
        error: String,
    },
}

impl crate::words::Words for Delivery {
    const KNOWN: crate::words::KnownWords = crate::words::KnownWords { words: &["sent", "failed"], open: false };
}

impl AsRef<str> for Delivery {
    fn as_ref(&self) -> &str {
        match self {
            Self::Sent { .. } => "sent",
            Self::Failed { .. } => "failed",
        }
    }
}

/// Fires when a message was sent to a channel, or could not be sent.
#[event(name = "message_sent", outside_turn, match(channel, recipient, delivery), new(channel, message, delivery))]
pub struct MessageSent {
    /// The channel that the message was sent to.
    pub channel: String,
    /// The message as it was sent.
    pub message: Message,
    /// The outcome.
    pub delivery: Delivery,
    /// The recipient; empty if the channel does not provide it.
    pub recipient: String,
}
