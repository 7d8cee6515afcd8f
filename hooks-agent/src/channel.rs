//! Messages that come in from somewhere and go out to somewhere: mail, a chat, a terminal.

use hooks_core::HookSet;
use hooks_core::data::{Message, Role};
use hooks_core::hook::BoxFuture;
use hooks_core::kinds::{Delivery, MessageReceived, MessageSending, MessageSent};
use hooks_core::scope::PromptDef;

use crate::reply::{Reply, TurnError};
use crate::session::Session;

/// Where replies go to.
pub trait Channel: Send + Sync + 'static {
    /// Its name, by which hooks filter.
    fn name(&self) -> &str;

    /// Sends `message` to `recipient`. Returns the id that the channel gave it, if it gives any.
    ///
    /// # Errors
    /// What the channel said; hooks at `message_sent` get it.
    fn send<'a>(&'a self, recipient: &'a str, message: &'a Message) -> BoxFuture<'a, Result<Option<String>, String>>;
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
    /// Answers `text` from `sender` in `channel`: `message_received`, a turn, `message_sending`, `message_sent`.
    ///
    /// # Errors
    /// [`TurnError`] where a hook at one of these three kinds is required and failed. What goes wrong within the turn is in
    /// its reply.
    pub async fn hear(
        &self,
        channel: &dyn Channel,
        sender: &str,
        text: impl Into<String>,
        prompt: Option<&PromptDef>,
    ) -> Result<Heard, TurnError> {
        let hooks = self.app_hooks()?;
        let received = MessageReceived::new(channel.name()).sender(sender);
        let message = hooks.fire(self.cx(), &received, Message::new(Role::User, text)).await;
        let Some(message) = message.map_err(TurnError::Dispatch)?.subject else {
            return Ok(Heard::Dropped);
        };
        let reply = self.turn_with(prompt, message).await;
        self.send(&hooks, channel, sender, reply).await
    }

    async fn send(
        &self,
        hooks: &HookSet,
        channel: &dyn Channel,
        recipient: &str,
        reply: Reply,
    ) -> Result<Heard, TurnError> {
        let sending = MessageSending::new(channel.name()).recipient(recipient);
        let message = Message::new(Role::Assistant, reply.to_string());
        let fired = hooks.fire(self.cx(), &sending, message).await.map_err(TurnError::Dispatch)?;
        let Some(message) = fired.subject else {
            return Ok(Heard::HeldBack { reply });
        };
        let delivery = match channel.send(recipient, &message).await {
            Ok(id) => Delivery::Sent { id },
            Err(error) => Delivery::Failed { error },
        };
        let sent = MessageSent::new(channel.name(), message, delivery.clone()).recipient(recipient);
        let _fired = hooks.fire(self.cx(), &sent, ()).await.map_err(TurnError::Dispatch)?;
        Ok(Heard::Answered { reply, delivery })
    }
}
