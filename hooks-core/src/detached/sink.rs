//! The destination of background jobs.

use std::sync::Arc;

use super::{Job, Tasks};
use crate::context::HookContext;
use crate::record::Observer;

/// Receives the jobs of background hooks: a queue in a database, or the [`Worker`](crate::worker::Worker) of this
/// process. Set it with [`Registry::set_background`](crate::Registry::set_background).
///
/// It is called on the dispatching task, at the hook's place in the plan, so it should return quickly. Put slow work
/// behind a channel. A panic in it counts as a failure of the hook.
///
/// ```
/// use hook_sdk::detached::{BackgroundSink, Job, EnqueueError};
/// use std::sync::Mutex;
///
/// /// Keeps jobs as lines of JSON.
/// #[derive(Default)]
/// struct Lines(Mutex<Vec<String>>);
///
/// impl BackgroundSink for Lines {
///     fn enqueue(&self, job: Job) -> Result<(), EnqueueError> {
///         let line = serde_json::to_string(&job).map_err(|error| EnqueueError::Failed(error.to_string()))?;
///         self.0.lock().map_err(|_| EnqueueError::Closed)?.push(line);
///         Ok(())
///     }
/// }
/// ```
pub trait BackgroundSink: Send + Sync + 'static {
    /// Accepts a job, or returns why not.
    ///
    /// # Errors
    /// [`EnqueueError`]. The run is then recorded as dropped or as failed.
    fn enqueue(&self, job: Job) -> Result<(), EnqueueError>;

    /// Not public API. The context of the worker of this process.
    #[doc(hidden)]
    fn worker(&self) -> Option<&HookContext> {
        None
    }
}

/// Why a sink did not accept a job.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EnqueueError {
    /// The queue is full. The run is recorded as dropped.
    #[error("the background queue is full")]
    Full,
    /// The queue accepts no more jobs. The run is recorded as dropped.
    #[error("the background queue is closed, or its registry was dropped")]
    Closed,
    /// The job could not be stored. The run is recorded as failed.
    #[error("the background queue could not store the job: {0}")]
    Failed(String),
    /// Nobody knows whether the job was stored. The run is recorded as failed, and may still come.
    #[error("nobody knows whether the background queue stored the job: {0}")]
    InDoubt(String),
}

/// The registry's state for detached and background runs.
#[derive(Clone)]
pub(crate) struct DetachedRuns {
    pub(crate) tasks: Arc<Tasks>,
    pub(crate) observers: Arc<[Arc<dyn Observer>]>,
    pub(crate) sink: Option<Arc<dyn BackgroundSink>>,
}
