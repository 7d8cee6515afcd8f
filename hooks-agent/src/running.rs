//! The turns that are under way in a harness, so that a program can end after them.

use std::time::Duration;

use hooks_core::CancellationToken;
use tokio::sync::watch;

/// The turns of a harness.
pub(crate) struct Running {
    turns: watch::Sender<usize>,
    /// No turn begins any more.
    closed: CancellationToken,
    /// Cancels those that run.
    cancelled: CancellationToken,
}

impl Default for Running {
    fn default() -> Self {
        Self { turns: watch::Sender::new(0), closed: CancellationToken::new(), cancelled: CancellationToken::new() }
    }
}

/// A turn that is under way as long as this is there.
pub(crate) struct RunningTurn(watch::Sender<usize>);

impl Drop for RunningTurn {
    fn drop(&mut self) {
        self.0.send_modify(|turns| *turns -= 1);
    }
}

impl Running {
    /// A turn begins; `None` where none may any more.
    pub(crate) fn begin(&self) -> Option<RunningTurn> {
        self.turns.send_modify(|turns| *turns += 1);
        let turn = RunningTurn(self.turns.clone());
        // After it was counted: who closes waits for it, or it is not begun.
        (!self.closed.is_cancelled()).then_some(turn)
    }

    /// A token that is cancelled with all turns.
    pub(crate) fn cancellation(&self) -> CancellationToken {
        self.cancelled.child_token()
    }

    /// Lets no turn begin.
    pub(crate) fn close(&self) {
        self.closed.cancel();
    }

    /// Waits for those that run; cancels what is not over by then, and waits for their ends.
    pub(crate) async fn end(&self, deadline: Duration) {
        let mut turns = self.turns.subscribe();
        if tokio::time::timeout(deadline, turns.wait_for(|turns| *turns == 0)).await.is_ok() {
            return;
        }
        self.cancelled.cancel();
        let ended = tokio::time::timeout(LAST_HOOKS, turns.wait_for(|turns| *turns == 0)).await;
        if ended.is_err() {
            tracing::warn!(target: "hooks_agent", turns = *self.turns.borrow(), "turns did not come to their end");
        }
    }
}

/// What hooks and the store have at the end of a turn that was cancelled with its program.
const LAST_HOOKS: Duration = Duration::from_secs(10);
