//! End notices of detached and background runs.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;

use super::{Observer, Record, Run, tell};
use crate::context::Ids;
use crate::options::RunMode;
use crate::verdict::Contributions;

/// The end of a detached run, or of an attempt at a background run. Contains no payload.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RunEnd {
    /// The kind that was fired.
    pub kind: Cow<'static, str>,
    /// The ids of the dispatch that started the run.
    #[serde(flatten)]
    pub ids: Arc<Ids>,
    /// Whether the run is detached or background.
    pub mode: RunMode,
    /// The id of the job; `None` for a detached run.
    pub job: Option<String>,
    /// The number of this attempt, starting at 1.
    pub attempt: u32,
    /// Whether there will be another attempt.
    pub again: bool,
    /// The run: hook, status and duration.
    pub run: Run,
}

impl RunEnd {
    /// Passes the notice to the observers.
    pub(crate) fn report(&self, contributions: &Contributions, observers: &[Arc<dyn Observer>]) {
        let (hook, kind, mode) = (&self.run.hook, &*self.kind, self.mode.as_str());
        match &self.run.cause {
            Some(cause) => tracing::warn!(
                target: "hook_sdk",
                %hook, kind, mode, attempt = self.attempt, again = self.again, status = %self.run.status, cause,
                "a detached or background run did not complete",
            ),
            None => tracing::debug!(
                target: "hook_sdk::dispatch",
                %hook, kind, mode, attempt = self.attempt, status = %self.run.status, duration = ?self.run.duration,
                "a detached or background run has ended",
            ),
        }
        tell(kind, observers, |observer| observer.ended(self, contributions));
    }
}

/// An observer of end notices only: `registry.observe(OnEnd(|ended: &RunEnd, _: &Contributions| …))`.
#[derive(Clone, Copy, Debug)]
pub struct OnEnd<F>(pub F);

impl<F: Fn(&RunEnd, &Contributions) + Send + Sync + 'static> Observer for OnEnd<F> {
    fn dispatched(&self, _record: &Record) {}

    fn ended(&self, ended: &RunEnd, contributions: &Contributions) {
        (self.0)(ended, contributions);
    }
}
