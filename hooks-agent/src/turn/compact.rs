//! Compaction at the request of a person, between turns.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use hook_sdk::kinds::{BeforeCompaction, CompactionKind, CompactionTrigger, ExitReason};

use super::end::End;
use super::lineage::Lineage;
use super::pairs::paired;
use super::resume::open_calls;
use super::steering::Steering;
use super::{Start, TurnLoop};
use crate::event_queue::events;
use crate::reply::TurnError;
use crate::request::TurnRequest;
use crate::state::SessionState;
use crate::store;
use crate::window::Window;

/// Compacts the conversation of `session` after all turns that have begun. Returns whether it is shorter now.
pub(crate) async fn compact(session: &Arc<SessionState>, instructions: String) -> Result<bool, TurnError> {
    let _turn = session.one_at_a_time.lock().await;
    let lease = session.harness.store.lease(&session.conversation).await?;
    let stored = store::read(&*session.harness.store, &session.conversation).await?;
    let (events, _) = events(0);
    let start = Start {
        session: Arc::clone(session),
        request: TurnRequest::new(""),
        events,
        steering: Steering::default(),
        cancellation: session.harness.running.cancellation(),
    };
    let mut turn = TurnLoop::new(start, &lease, session.turns.load(Ordering::Relaxed)).map_err(|failed| failed.1)?;
    let messages: Vec<_> = stored.rows.iter().map(|row| row.message.clone()).collect();
    turn.transcript.lineage = Lineage::of(stored);
    // Calls that wait, and what follows them, stay as they are: an answer may still come for them.
    let waiting = turn.first_waiting(open_calls(&messages)).await.map_err(End::into_error)?;
    let end = waiting.map_or(messages.len(), |(calls, _)| calls.at);
    turn.transcript.view = paired(messages[..end].to_vec().into());
    turn.make_room_by_hand(instructions).await.map_err(End::into_error)
}

impl TurnLoop {
    async fn make_room_by_hand(&mut self, instructions: String) -> Result<bool, End> {
        let parts = Arc::clone(&self.session.harness);
        let window = parts.window.clone().unwrap_or_else(|| Window::new(u64::MAX));
        let view = self.transcript.view.clone();
        let event = BeforeCompaction::new(CompactionTrigger::Manual, CompactionKind::Full, view)
            .reason("requested")
            .instructions(instructions)
            .token_count(self.used(&window));
        let shorter = self.compact(&window, event).await?;
        self.go_on(ExitReason::AbortedPreCall)?;
        Ok(shorter)
    }
}
