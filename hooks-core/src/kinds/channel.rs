use serde::{Deserialize, Serialize};

use crate::HookKind;
use crate::data::Message;

/// Fires when a message has come in from a channel, before any agent sees it: hooks may rewrite or drop it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(
    name = "message_received",
    subject = Message,
    removable,
    check = Message::check_blocks,
    outside_turn,
    match(channel, sender),
    new(channel),
    json
)]
#[non_exhaustive]
pub struct MessageReceived {
    /// Where it came from, such as `mail`.
    pub channel: String,
    /// Who wrote it; empty where the channel does not say.
    #[serde(default)]
    pub sender: String,
    /// The message's id in the channel.
    #[serde(default)]
    pub id: Option<String>,
    /// The thread or group it belongs to.
    #[serde(default)]
    pub thread: Option<String>,
}

/// Fires before a message goes out to a channel: hooks may rewrite it or hold it back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(
    name = "message_sending",
    subject = Message,
    removable,
    check = Message::check_blocks,
    outside_turn,
    match(channel, recipient),
    new(channel),
    json
)]
#[non_exhaustive]
pub struct MessageSending {
    /// Where it goes to.
    pub channel: String,
    /// Who is to read it; empty where the channel does not say.
    #[serde(default)]
    pub recipient: String,
    /// The thread or group it belongs to.
    #[serde(default)]
    pub thread: Option<String>,
}

/// How sending a message went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Delivery {
    /// The channel took it.
    Sent {
        /// The message's id in the channel.
        #[serde(default)]
        id: Option<String>,
    },
    /// The channel did not take it.
    Failed {
        /// What it said.
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

/// Fires when a message went out to a channel, or could not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(
    name = "message_sent",
    outside_turn,
    match(channel, recipient, delivery),
    new(channel, message, delivery),
    json
)]
#[non_exhaustive]
pub struct MessageSent {
    /// Where it went to.
    pub channel: String,
    /// The message as it was sent.
    pub message: Message,
    /// How it went.
    pub delivery: Delivery,
    /// Who is to read it; empty where the channel does not say.
    #[serde(default)]
    pub recipient: String,
}
