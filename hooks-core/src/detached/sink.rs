//! Where background jobs go.

use std::sync::Arc;

use super::{Job, Tasks};
use crate::record::Observer;

/// Takes the jobs of background hooks: a queue in a database, or the [`Worker`](crate::worker::Worker) of this process. Set with
/// [`Registry::set_background`](crate::Registry::set_background).
///
/// Called on the dispatching task, at the hook's place in the plan, so it should be quick: what has to wait belongs behind
/// a channel. A panic in it is a failure of the hook.
///
/// ```
/// use hooks_core::detached::{BackgroundSink, Job, Refused};
/// use std::sync::Mutex;
///
/// /// Keeps jobs as lines of JSON.
/// #[derive(Default)]
/// struct Lines(Mutex<Vec<String>>);
///
/// impl BackgroundSink for Lines {
///     fn enqueue(&self, job: Job) -> Result<(), Refused> {
///         let line = serde_json::to_string(&job).map_err(|error| Refused::Failed(error.to_string()))?;
///         self.0.lock().map_err(|_| Refused::Closed)?.push(line);
///         Ok(())
///     }
/// }
/// ```
pub trait BackgroundSink: Send + Sync + 'static {
    /// Takes a job, or says why not.
    ///
    /// # Errors
    /// [`Refused`]; the run is recorded as dropped, or as failed.
    fn enqueue(&self, job: Job) -> Result<(), Refused>;
}

/// Why a job was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// There is no room for it: the run is recorded as dropped.
    #[error("the background queue is full")]
    Full,
    /// Nothing is taken any more: the run is recorded as dropped.
    #[error("the background queue is closed")]
    Closed,
    /// It could not be kept: the run is recorded as failed.
    #[error("the background queue could not keep the job: {0}")]
    Failed(String),
}

/// What a registry has for runs that no dispatch waits for.
#[derive(Clone)]
pub(crate) struct DetachedRuns {
    pub(crate) tasks: Arc<Tasks>,
    pub(crate) observers: Arc<[Arc<dyn Observer>]>,
    pub(crate) sink: Option<Arc<dyn BackgroundSink>>,
}
