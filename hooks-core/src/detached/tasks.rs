//! Counts and limits the detached and background runs of one registry, and waits for them.

use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::options::RunMode;
use crate::panics::{catch, lock};
use crate::record::Status;

/// The default limit of concurrent detached runs.
const DETACHED_LIMIT: usize = 256;

/// How long to wait for cancelled runs to be dropped. A run that computes without yielding does not notice the
/// cancellation.
const GRACE: Duration = Duration::from_millis(100);

/// The outcome of all detached and background runs since the registry was made. Returned by
/// [`Registry::drain`](crate::Registry::drain).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DrainReport {
    /// The detached runs.
    pub detached: Counts,
    /// The background jobs that this process queued for its own worker or executed with
    /// [`Registry::run_job`](crate::Registry::run_job).
    pub background: Counts,
}

/// Numbers of runs by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Runs that completed.
    pub done: usize,
    /// Runs whose last attempt failed: with an error, a panic or a timeout.
    pub failed: usize,
    /// Runs that were cancelled, or never started, because the deadline passed or the runtime ended.
    pub cancelled: usize,
    /// Runs that exceeded a limit.
    pub dropped: usize,
    /// Runs that are still executing. They never yield, so they cannot be cancelled.
    pub running: usize,
}

/// The run counts of one registry.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    state: Mutex<TasksState>,
    ended: Notify,
    /// Cancelled when the deadline of `drain` has passed.
    pub(crate) shutdown: CancellationToken,
}

#[derive(Debug, Default)]
struct TasksState {
    /// The limit of concurrent detached runs, if the app sets one.
    limit: Option<usize>,
    closed: bool,
    counts: DrainReport,
}

impl TasksState {
    fn of(&mut self, mode: RunMode) -> &mut Counts {
        match mode {
            RunMode::Background => &mut self.counts.background,
            RunMode::Detached | RunMode::Inline => &mut self.counts.detached,
        }
    }
}

impl Tasks {
    pub(crate) fn set_limit(&self, limit: usize) {
        lock(&self.state).limit = Some(limit);
    }

    pub(crate) fn is_closed(&self) -> bool {
        lock(&self.state).closed
    }

    /// Admits a detached run.
    ///
    /// # Errors
    /// The reason if the run is over the limit or the registry is drained. The run is counted as dropped.
    pub(crate) fn admit(self: &Arc<Self>) -> Result<Permit, String> {
        let mut state = lock(&self.state);
        let limit = state.limit.unwrap_or(DETACHED_LIMIT);
        let why = if state.closed {
            "the registry is drained and starts no more runs".to_owned()
        } else if state.counts.detached.running >= limit {
            format!("the limit of {limit} detached runs is reached")
        } else {
            state.counts.detached.running += 1;
            return Ok(Permit::new(self, RunMode::Detached));
        };
        state.counts.detached.dropped += 1;
        Err(why)
    }

    /// Counts a background job that this process took from a queue. The queue bounds their number.
    pub(crate) fn take_in(self: &Arc<Self>) -> Permit {
        lock(&self.state).counts.background.running += 1;
        Permit::new(self, RunMode::Background)
    }

    /// Counts a background job that no queue accepted.
    pub(crate) fn dropped(&self) {
        lock(&self.state).counts.background.dropped += 1;
    }

    fn is_idle(&self) -> bool {
        let counts = lock(&self.state).counts;
        counts.detached.running + counts.background.running == 0
    }

    /// Waits until no run is active.
    pub(crate) async fn idle(&self) {
        loop {
            let mut ended = pin!(self.ended.notified());
            // Registers for notifications before the check, so that no end is missed between the check and the wait.
            ended.as_mut().enable();
            if self.is_idle() {
                return;
            }
            ended.await;
        }
    }

    /// Stops admitting runs and waits for the active ones. Cancels those that are left at `deadline`.
    pub(crate) async fn drain(&self, deadline: Duration) -> DrainReport {
        lock(&self.state).closed = true;
        self.idle_within(deadline).await;
        self.shutdown.cancel();
        self.idle_within(GRACE).await;
        lock(&self.state).counts
    }

    async fn idle_within(&self, limit: Duration) {
        if self.is_idle() || tokio::runtime::Handle::try_current().is_err() {
            return;
        }
        // `timeout` panics on a runtime without a timer; then there is no wait.
        if let Ok(timeout) = catch(|| tokio::time::timeout(limit, self.idle())) {
            // The counts show whether the time was up.
            let _ = timeout.await;
        }
    }
}

/// The permit of one run; returned when its last clone is dropped.
#[derive(Clone, Debug)]
pub(crate) struct Permit(Arc<Admission>);

#[derive(Debug)]
struct Admission {
    tasks: Arc<Tasks>,
    mode: RunMode,
    /// How the run ended. A run that never reports its end was cancelled.
    end: Mutex<Status>,
}

impl Permit {
    fn new(tasks: &Arc<Tasks>, mode: RunMode) -> Self {
        Self(Arc::new(Admission { tasks: Arc::clone(tasks), mode, end: Mutex::new(Status::Cancelled) }))
    }

    /// Returns the permit with the status of the run.
    pub(crate) fn release(self, end: Status) {
        *lock(&self.0.end) = end;
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        let mut state = lock(&self.tasks.state);
        let counts = state.of(self.mode);
        counts.running -= 1;
        match self.end.get_mut().unwrap_or_else(PoisonError::into_inner) {
            Status::Completed => counts.done += 1,
            Status::Cancelled => counts.cancelled += 1,
            _ => counts.failed += 1,
        }
        drop(state);
        self.tasks.ended.notify_waiters();
    }
}
