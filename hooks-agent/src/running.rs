//! Tracks the running turns of a harness, so that a program can stop after them.

use std::time::Duration;

use hook_sdk::CancellationToken;
use tokio::sync::watch;

/// The running turns of a harness.
pub(crate) struct Running {
    turns: watch::Sender<usize>,
    /// Cancelled when no further turn may begin.
    closed: CancellationToken,
    /// Cancels the running turns.
    cancelled: CancellationToken,
}

impl Default for Running {
    fn default() -> Self {
        Self { turns: watch::Sender::new(0), closed: CancellationToken::new(), cancelled: CancellationToken::new() }
    }
}

/// Counts as a running turn until it is dropped.
pub(crate) struct RunningTurn(watch::Sender<usize>);

impl Drop for RunningTurn {
    fn drop(&mut self) {
        self.0.send_modify(|turns| *turns -= 1);
    }
}

impl Running {
    /// Counts a new turn. `None` if no further turn may begin.
    pub(crate) fn begin(&self) -> Option<RunningTurn> {
        self.turns.send_modify(|turns| *turns += 1);
        let turn = RunningTurn(self.turns.clone());
        // Check after counting: a concurrent `close` then either waits for this turn or prevents it.
        (!self.closed.is_cancelled()).then_some(turn)
    }

    /// A token that is cancelled when all turns are.
    pub(crate) fn cancellation(&self) -> CancellationToken {
        self.cancelled.child_token()
    }

    /// Lets no further turn begin.
    pub(crate) fn close(&self) {
        self.closed.cancel();
    }

    /// Waits for the running turns. At the deadline, it cancels those that remain, and waits until they have ended.
    pub(crate) async fn end(&self, deadline: Duration) {
        let mut turns = self.turns.subscribe();
        if tokio::time::timeout(deadline, turns.wait_for(|turns| *turns == 0)).await.is_ok() {
            return;
        }
        self.cancelled.cancel();
        let ended = tokio::time::timeout(LAST_HOOKS, turns.wait_for(|turns| *turns == 0)).await;
        if ended.is_err() {
            tracing::warn!(target: "hooks_agent", turns = *self.turns.borrow(), "turns did not end");
        }
    }
}

/// The time for the last hooks and writes of a turn that was cancelled because the program stops.
const LAST_HOOKS: Duration = Duration::from_secs(10);
