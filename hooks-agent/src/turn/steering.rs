//! Messages that join a running turn.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hook_sdk::data::{Message, Messages};

use super::TurnLoop;
use super::end::End;
use super::pairs::said;
use crate::inputs::JoinedInput;
use crate::reply::{Outcome, Reply};

/// Adds messages to a running turn from anywhere, for example from another request of a server that streams the turn.
///
/// ```
/// use hooks_agent::Steering;
/// use hook_sdk::data::{Message, Role};
///
/// fn interrupt(steering: &Steering, text: &str) -> bool {
///     steering.steer(Message::new(Role::User, text))
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Steering(Arc<Mutex<Waiting>>);

#[derive(Debug, Default)]
struct Waiting {
    messages: Vec<Message>,
    /// In a repeated turn, the recorded messages, each with its step.
    recorded: Vec<JoinedInput>,
    /// The number of steps that have begun.
    steps: usize,
    closed: bool,
}

impl Waiting {
    fn is_of_next_step(&self, joined: &JoinedInput) -> bool {
        joined.step == self.steps + 1
    }
}

impl Steering {
    /// Creates the messages of a repeated turn.
    pub(super) fn recorded(joined: Vec<JoinedInput>) -> Self {
        Self(Arc::new(Mutex::new(Waiting { recorded: joined, ..Waiting::default() })))
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does the same as [`Turn::steer`](crate::Turn::steer).
    pub fn steer(&self, message: Message) -> bool {
        let mut waiting = self.lock();
        if !waiting.closed {
            waiting.messages.push(said(message));
        }
        !waiting.closed
    }

    /// Takes the messages for the step that begins. Returns them with the number of the step.
    fn take(&self) -> (usize, Vec<Message>) {
        let mut waiting = self.lock();
        let of_this_step = waiting.recorded.iter().filter(|joined| waiting.is_of_next_step(joined));
        let recorded: Vec<_> = of_this_step.map(|joined| joined.message.clone()).collect();
        waiting.steps += 1;
        let messages = recorded.into_iter().chain(std::mem::take(&mut waiting.messages));
        let messages = messages.collect();
        (waiting.steps, messages)
    }

    /// Closes the queue unless it contains a message. A message causes another step.
    pub(super) fn close_if_empty(&self) -> bool {
        let mut waiting = self.lock();
        let is_empty =
            waiting.messages.is_empty() && !waiting.recorded.iter().any(|joined| waiting.is_of_next_step(joined));
        waiting.closed |= is_empty;
        is_empty
    }

    /// Closes the queue and returns its messages.
    pub(super) fn close(&self) -> Messages {
        let mut waiting = self.lock();
        waiting.closed = true;
        std::mem::take(&mut waiting.messages).into()
    }

    /// The reply of a turn that ends before it begins. It contains the messages that waited for the turn.
    pub(super) fn not_begun(&self, outcome: Outcome) -> Reply {
        Reply { not_joined: self.close(), ..Reply::of(outcome) }
    }

    /// Puts messages back at the front of the queue.
    fn give_back(&self, messages: impl Iterator<Item = Message>) {
        self.lock().messages.splice(..0, messages);
    }
}

impl TurnLoop {
    /// Stores the messages that joined the turn since the last step.
    pub(super) async fn join_steering(&mut self) -> Result<(), End> {
        let (step, messages) = self.steering.take();
        let mut messages = messages.into_iter();
        while let Some(message) = messages.next() {
            self.note_joined(step, &message);
            if let Err((end, is_stored)) = self.join(message.clone()).await {
                let left = (!is_stored).then_some(message);
                self.steering.give_back(left.into_iter().chain(messages));
                return Err(end);
            }
        }
        Ok(())
    }

    /// Stores a message that joins the turn. The error says whether it is stored nevertheless.
    async fn join(&mut self, message: Message) -> Result<(), (End, bool)> {
        let row = self.row_of(message).await.map_err(|end| (end, false))?;
        let (added, before) = (self.transcript.added.len(), self.times_stored(&row));
        let Err(end) = self.append(row.clone()).await else { return Ok(()) };
        // A hook after the row may fail, and a store that failed may have stored the row.
        let is_stored =
            self.transcript.added.len() > added || self.catch_up().await.is_ok() && self.times_stored(&row) > before;
        Err((end, is_stored))
    }

    fn times_stored(&self, message: &Message) -> usize {
        self.transcript.lineage.messages().iter().filter(|stored| *stored == message).count()
    }
}
