//! The runs of one registry that nobody waits for: how many there are, and waiting for the last of them.

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::options::RunMode;
use crate::panics::catch;
use crate::record::Status;

/// So many detached runs there may be at a time, unless
/// [`Registry::set_detached_limit`](crate::Registry::set_detached_limit) says otherwise.
pub const DETACHED_LIMIT: usize = 256;

/// What has been cancelled gets this long to be dropped. What computes without waiting does not notice at all.
const GRACE: Duration = Duration::from_millis(100);

/// What became of the runs that nobody waited for, since the registry was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Drained {
    /// The detached ones.
    pub detached: Counts,
    /// The background jobs that this process queued for its own worker, or took with
    /// [`Registry::run_job`](crate::Registry::run_job).
    pub background: Counts,
}

/// What became of runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// They ended well.
    pub done: usize,
    /// They ended, and failed: with an error, a panic, or at their deadline, and their last attempt did.
    pub failed: usize,
    /// They were cut off, or never begun, because the time was up or the runtime ended.
    pub cancelled: usize,
    /// There was no room for them.
    pub dropped: usize,
    /// They compute without ever waiting, so nothing can stop them.
    pub running: usize,
}

/// Counts the runs of one registry.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    state: Mutex<State>,
    ended: Notify,
    /// Cancelled when the time of those that are left is up.
    pub(crate) shutdown: CancellationToken,
}

#[derive(Debug)]
struct State {
    limit: usize,
    closed: bool,
    counts: Drained,
}

impl Default for State {
    fn default() -> Self {
        Self { limit: DETACHED_LIMIT, closed: false, counts: Drained::default() }
    }
}

impl State {
    fn of(&mut self, mode: RunMode) -> &mut Counts {
        match mode {
            RunMode::Background => &mut self.counts.background,
            RunMode::Detached | RunMode::Inline => &mut self.counts.detached,
        }
    }
}

impl Tasks {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_limit(&self, limit: usize) {
        self.state().limit = limit;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.state().closed
    }

    /// Room for a detached run.
    ///
    /// # Errors
    /// Why there is none; that is counted.
    pub(crate) fn admit(self: &Arc<Self>) -> Result<Permit, String> {
        let mut state = self.state();
        let why = if state.closed {
            "the registry is drained: nothing is started any more".to_owned()
        } else if state.counts.detached.running >= state.limit {
            format!("{} detached runs are under way, and no more may be", state.limit)
        } else {
            state.counts.detached.running += 1;
            return Ok(Permit { tasks: Arc::clone(self), mode: RunMode::Detached, end: Status::Cancelled });
        };
        state.counts.detached.dropped += 1;
        Err(why)
    }

    /// Counts a background job that was taken into this process. Its bound is that of the queue.
    pub(crate) fn take_in(self: &Arc<Self>) -> Permit {
        self.state().counts.background.running += 1;
        Permit { tasks: Arc::clone(self), mode: RunMode::Background, end: Status::Cancelled }
    }

    /// Counts a background job that no queue took.
    pub(crate) fn dropped(&self) {
        self.state().counts.background.dropped += 1;
    }

    fn is_idle(&self) -> bool {
        let counts = self.state().counts;
        counts.detached.running + counts.background.running == 0
    }

    /// Waits until nothing is under way.
    pub(crate) async fn idle(&self) {
        loop {
            let mut ended = pin!(self.ended.notified());
            // From here on an end is heard of, so none is missed between the look and the wait.
            ended.as_mut().enable();
            if self.is_idle() {
                return;
            }
            ended.await;
        }
    }

    /// Waits for what is under way, until `deadline` at the latest, and then cuts it off. Nothing new is started.
    pub(crate) async fn drain(&self, deadline: Duration) -> Drained {
        self.state().closed = true;
        self.idle_within(deadline).await;
        self.shutdown.cancel();
        self.idle_within(GRACE).await;
        self.state().counts
    }

    async fn idle_within(&self, limit: Duration) {
        if self.is_idle() || tokio::runtime::Handle::try_current().is_err() {
            return;
        }
        // A runtime without time makes it panic; there is no waiting then.
        if let Ok(timeout) = catch(|| tokio::time::timeout(limit, self.idle())) {
            // Whether the time was up does not matter: the counts say it.
            let _ = timeout.await;
        }
    }
}

/// Room for one run; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    tasks: Arc<Tasks>,
    mode: RunMode,
    /// How the run ended; one of which nothing is heard was cut off.
    end: Status,
}

impl Permit {
    /// The run ended so.
    pub(crate) fn release(mut self, end: Status) {
        self.end = end;
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut state = self.tasks.state();
        let counts = state.of(self.mode);
        counts.running -= 1;
        match self.end {
            Status::Completed => counts.done += 1,
            Status::Cancelled => counts.cancelled += 1,
            _ => counts.failed += 1,
        }
        drop(state);
        self.tasks.ended.notify_waiters();
    }
}
