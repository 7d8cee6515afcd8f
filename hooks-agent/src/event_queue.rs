//! The queue of a turn's events. It is bounded, and a sender never waits for the reader.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::event::TurnEvent;

#[derive(Debug)]
struct EventQueue(Mutex<QueuedEvents>);

#[derive(Debug)]
struct QueuedEvents {
    events: VecDeque<TurnEvent>,
    most: usize,
    /// The number of events dropped because the queue was full.
    missed: usize,
    reader: Option<Waker>,
    is_read: bool,
    is_over: bool,
}

impl EventQueue {
    fn lock(&self) -> MutexGuard<'_, QueuedEvents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The sending half. When its last clone is dropped, the stream of events ends.
#[derive(Clone, Debug)]
pub(crate) struct EventSender(Arc<Sending>);

#[derive(Debug)]
struct Sending(Arc<EventQueue>);

impl Drop for Sending {
    fn drop(&mut self) {
        let reader = {
            let mut queue = self.0.lock();
            queue.is_over = true;
            queue.reader.take()
        };
        if let Some(reader) = reader {
            reader.wake();
        }
    }
}

/// The receiving half.
#[derive(Debug)]
pub(crate) struct EventReceiver(Arc<EventQueue>);

impl Drop for EventReceiver {
    fn drop(&mut self) {
        let mut queue = self.0.lock();
        queue.is_read = false;
        // Release the lock before the events are dropped: they hold data of the app, whose `Drop` can run any code.
        let events = std::mem::take(&mut queue.events);
        drop(queue);
        drop(events);
    }
}

/// Creates a queue that holds at most `most` events.
pub(crate) fn events(most: usize) -> (EventSender, EventReceiver) {
    let queue = QueuedEvents {
        events: VecDeque::new(),
        most: most.max(1),
        missed: 0,
        reader: None,
        is_read: true,
        is_over: false,
    };
    let queue = Arc::new(EventQueue(Mutex::new(queue)));
    (EventSender(Arc::new(Sending(Arc::clone(&queue)))), EventReceiver(queue))
}

impl EventSender {
    /// Whether the receiver was dropped.
    pub(crate) fn is_closed(&self) -> bool {
        !self.0.0.lock().is_read
    }

    pub(crate) fn send(&self, event: TurnEvent) {
        let reader = {
            let mut queue = self.0.0.lock();
            if !queue.is_read {
                return;
            }
            if queue.events.len() < queue.most {
                queue.events.push_back(event);
            } else {
                queue.push_to_full(event);
            }
            queue.reader.take()
        };
        if let Some(reader) = reader {
            reader.wake();
        }
    }
}

impl QueuedEvents {
    /// Merges the event into the last one if both are pieces of the same text. Otherwise drops the oldest event.
    fn push_to_full(&mut self, event: TurnEvent) {
        match (self.events.back_mut(), event) {
            (Some(TurnEvent::Text(last)), TurnEvent::Text(text))
            | (Some(TurnEvent::Thinking(last)), TurnEvent::Thinking(text)) => last.push_str(&text),
            (_, event) => {
                self.events.pop_front();
                self.missed += 1;
                self.events.push_back(event);
            }
        }
    }
}

impl EventReceiver {
    pub(crate) fn poll_next(&self, cx: &mut Context<'_>) -> Poll<Option<TurnEvent>> {
        let mut queue = self.0.lock();
        if queue.missed > 0 {
            let events = std::mem::take(&mut queue.missed);
            return Poll::Ready(Some(TurnEvent::Missed { events }));
        }
        if let Some(event) = queue.events.pop_front() {
            return Poll::Ready(Some(event));
        }
        if queue.is_over {
            return Poll::Ready(None);
        }
        queue.reader = Some(cx.waker().clone());
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn next(receiver: &EventReceiver) -> Option<TurnEvent> {
        std::future::poll_fn(|cx| receiver.poll_next(cx)).await
    }

    #[tokio::test]
    async fn the_oldest_events_are_dropped_and_counted_and_text_is_joined() {
        let (sender, receiver) = events(3);
        for i in 0..10_000 {
            sender.send(TurnEvent::SystemMessage(i.to_string()));
        }
        assert_eq!(next(&receiver).await, Some(TurnEvent::Missed { events: 9_997 }));
        assert_eq!(next(&receiver).await, Some(TurnEvent::SystemMessage("9997".to_owned())));
        for _ in 0..1_000 {
            sender.send(TurnEvent::Text("ab".to_owned()));
        }
        drop(sender);
        let mut text = String::new();
        while let Some(event) = next(&receiver).await {
            if let TurnEvent::Text(piece) = event {
                text.push_str(&piece);
            }
        }
        assert_eq!(text, "ab".repeat(1_000));
    }

    #[tokio::test]
    async fn a_waiting_reader_is_woken_and_nothing_is_kept_without_a_reader() {
        let (sender, receiver) = events(3);
        let other = sender.clone();
        tokio::spawn(async move {
            tokio::task::yield_now().await;
            other.send(TurnEvent::SystemPromptChanged);
        });
        drop(sender);
        assert_eq!(next(&receiver).await, Some(TurnEvent::SystemPromptChanged));
        assert_eq!(next(&receiver).await, None);
        let (sender, receiver) = events(3);
        drop(receiver);
        sender.send(TurnEvent::SystemPromptChanged);
        assert!(sender.is_closed() && sender.0.0.lock().events.is_empty());
    }
}
