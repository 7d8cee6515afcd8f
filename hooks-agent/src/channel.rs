//! Channels such as mail, chat or a terminal: messages come in and replies go out.

use hook_sdk::HookSet;
use hook_sdk::data::{Message, Role};
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::{Delivery, MessageReceived, MessageSending, MessageSent};
use hook_sdk::scope::PromptDef;

use crate::panics::contained;
use crate::reply::{Reply, TurnError};
use crate::request::TurnRequest;
use crate::session::Session;

/// A message received from a channel.
///
/// ```
/// use hooks_agent::channel::Incoming;
///
/// let mail = Incoming::new("ada@example.com", "When?").id("<17@example.com>").thread("<12@example.com>");
/// ```
#[derive(Clone, Debug)]
#[must_use = "pass it to `Session::hear`"]
pub struct Incoming {
    sender: String,
    message: Message,
    id: Option<String>,
    thread: Option<String>,
}

impl Incoming {
    /// Creates a text message from `sender`.
    pub fn new(sender: impl Into<String>, text: impl Into<String>) -> Self {
        Self::message(sender, Message::new(Role::User, text))
    }

    /// Creates a message from `sender` with any content, for example images.
    pub fn message(sender: impl Into<String>, message: Message) -> Self {
        Self { sender: sender.into(), message, id: None, thread: None }
    }

    /// Sets the message's id in the channel.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Sets the thread or group of the message. The reply goes to the same one.
    pub fn thread(mut self, thread: impl Into<String>) -> Self {
        self.thread = Some(thread.into());
        self
    }
}

/// The address of a message within a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Address {
    /// The recipient.
    pub recipient: String,
    /// The thread or group.
    pub thread: Option<String>,
}

/// Sends replies.
pub trait Channel: Send + Sync + 'static {
    /// The channel's name. Hooks can filter by it.
    fn name(&self) -> &str;

    /// Sends `message` to `address`. Returns the id that the channel assigned to the message, if any.
    ///
    /// # Errors
    /// The channel's error message. Hooks at `message_sent` get it.
    fn send<'a>(&'a self, address: &'a Address, message: &'a Message) -> BoxFuture<'a, Result<Option<String>, String>>;
}

/// What happened to a message from a channel.
#[derive(Debug)]
#[non_exhaustive]
pub enum Heard {
    /// A hook dropped it. No turn ran.
    Dropped,
    /// A hook withheld the reply.
    #[non_exhaustive]
    HeldBack {
        /// The turn's reply.
        reply: Reply,
    },
    /// The reply was sent, or sending failed.
    #[non_exhaustive]
    Answered {
        /// The turn's reply.
        reply: Reply,
        /// The result of sending.
        delivery: Delivery,
    },
}

impl Session {
    /// Handles a message from `channel`: fires `message_received`, runs a turn, fires `message_sending`, sends the
    /// reply and fires `message_sent`. The turn gets the message as hooks left it, with all its blocks and fields.
    ///
    /// # Errors
    /// [`TurnError`] if a required hook at one of these three kinds fails. Errors in the turn are part of its reply.
    pub async fn hear(
        &self,
        channel: &dyn Channel,
        incoming: Incoming,
        prompt: Option<&PromptDef>,
    ) -> Result<Heard, TurnError> {
        let hooks = self.hooks()?;
        let Incoming { sender, message, id, thread } = incoming;
        let mut received = MessageReceived::new(channel.name()).sender(sender.as_str());
        (received.id, received.thread) = (id, thread.clone());
        let message = hooks.fire(self.cx(), &received, message).await;
        let Some(message) = message.map_err(TurnError::Dispatch)?.subject else {
            return Ok(Heard::Dropped);
        };
        let reply = self.begin(TurnRequest::from(message).prompt(prompt.cloned())).await;
        self.send(&hooks, channel, Address { recipient: sender, thread }, reply).await
    }

    async fn send(
        &self,
        hooks: &HookSet,
        channel: &dyn Channel,
        address: Address,
        reply: Reply,
    ) -> Result<Heard, TurnError> {
        let recipient = address.recipient.as_str();
        let mut sending = MessageSending::new(channel.name()).recipient(recipient);
        sending.thread.clone_from(&address.thread);
        let message = Message::new(Role::Assistant, reply.to_string());
        let fired = hooks.fire(self.cx(), &sending, message).await.map_err(TurnError::Dispatch)?;
        let Some(message) = fired.subject else {
            return Ok(Heard::HeldBack { reply });
        };
        let sent = contained(async { channel.send(&address, &message).await });
        let limit = self.limits().channel;
        let delivery = match tokio::time::timeout(limit, sent).await {
            Ok(Ok(Ok(id))) => Delivery::Sent { id },
            Ok(Ok(Err(error))) => Delivery::Failed { error },
            Ok(Err(_panic)) => Delivery::Failed { error: "the channel panicked".to_owned() },
            Err(_) => Delivery::Failed { error: format!("not sent within {limit:?}; it may still arrive") },
        };
        let sent = MessageSent::new(channel.name(), message, delivery.clone()).recipient(recipient);
        let _fired = hooks.fire(self.cx(), &sent, ()).await.map_err(TurnError::Dispatch)?;
        Ok(Heard::Answered { reply, delivery })
    }
}
