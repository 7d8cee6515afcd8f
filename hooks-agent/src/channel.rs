//! Messages that come in from somewhere and go out to somewhere: mail, a chat, a terminal.

use hooks_core::HookSet;
use hooks_core::data::{Message, Role};
use hooks_core::hook::BoxFuture;
use hooks_core::kinds::{Delivery, MessageReceived, MessageSending, MessageSent};
use hooks_core::scope::PromptDef;

use crate::reply::{Reply, TurnError};
use crate::request::TurnRequest;
use crate::session::Session;

/// A message that has come in.
///
/// ```
/// use hooks_agent::channel::Incoming;
///
/// let mail = Incoming::new("ada@example.com", "When?").id("<17@example.com>").thread("<12@example.com>");
/// ```
#[derive(Clone, Debug)]
#[must_use = "a message is heard with `Session::hear`"]
pub struct Incoming {
    sender: String,
    message: Message,
    id: Option<String>,
    thread: Option<String>,
}

impl Incoming {
    /// `sender` wrote `text`.
    pub fn new(sender: impl Into<String>, text: impl Into<String>) -> Self {
        Self::message(sender, Message::new(Role::User, text))
    }

    /// `sender` wrote a message that is more than text.
    pub fn message(sender: impl Into<String>, message: Message) -> Self {
        Self { sender: sender.into(), message, id: None, thread: None }
    }

    /// The message's id in the channel.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// The thread or group it belongs to, to which the answer goes too.
    pub fn thread(mut self, thread: impl Into<String>) -> Self {
        self.thread = Some(thread.into());
        self
    }
}

/// Where a message goes to within a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Address {
    /// Who is to read it.
    pub recipient: String,
    /// The thread or group it belongs to.
    pub thread: Option<String>,
}

/// Where replies go to.
pub trait Channel: Send + Sync + 'static {
    /// Its name, by which hooks filter.
    fn name(&self) -> &str;

    /// Sends `message` to `address`. Returns the id that the channel gave it, if it gives any.
    ///
    /// # Errors
    /// What the channel said; hooks at `message_sent` get it.
    fn send<'a>(&'a self, address: &'a Address, message: &'a Message) -> BoxFuture<'a, Result<Option<String>, String>>;
}

/// What came of a message from a channel.
#[derive(Debug)]
#[non_exhaustive]
pub enum Heard {
    /// A hook dropped it: there was no turn.
    Dropped,
    /// A hook held the reply back.
    #[non_exhaustive]
    HeldBack {
        /// The turn's reply.
        reply: Reply,
    },
    /// The reply was sent, or could not be.
    #[non_exhaustive]
    Answered {
        /// The turn's reply.
        reply: Reply,
        /// How sending it went.
        delivery: Delivery,
    },
}

impl Session {
    /// Answers what came in from `channel`: `message_received`, a turn, `message_sending`, `message_sent`. The turn gets the message
    /// as hooks left it, with all its blocks and fields.
    ///
    /// # Errors
    /// [`TurnError`] where a hook at one of these three kinds is required and failed. What goes wrong within the turn is in
    /// its reply.
    pub async fn hear(
        &self,
        channel: &dyn Channel,
        incoming: Incoming,
        prompt: Option<&PromptDef>,
    ) -> Result<Heard, TurnError> {
        let hooks = self.app_hooks()?;
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
        let delivery = match channel.send(&address, &message).await {
            Ok(id) => Delivery::Sent { id },
            Err(error) => Delivery::Failed { error },
        };
        let sent = MessageSent::new(channel.name(), message, delivery.clone()).recipient(recipient);
        let _fired = hooks.fire(self.cx(), &sent, ()).await.map_err(TurnError::Dispatch)?;
        Ok(Heard::Answered { reply, delivery })
    }
}
