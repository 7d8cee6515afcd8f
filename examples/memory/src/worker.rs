//! Runs the jobs that hooks contribute, one after the other, on a separate thread.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use serde_json::Value;
use tokio::sync::oneshot;

use crate::extract;
use crate::fact::Fact;
use crate::hooks::{EXTRACT, Extract};
use crate::store::{Store, StoreError};

/// The maximum number of waiting jobs.
const QUEUE: usize = 64;

/// Runs jobs in order: if two turns name the dog, the later one counts.
///
/// The queue is in memory. When the process is killed, waiting jobs are lost, and with them what their turns taught.
#[derive(Debug)]
pub struct Worker {
    queue: SyncSender<Task>,
    thread: JoinHandle<()>,
}

#[derive(Debug)]
struct Task {
    job: Extract,
    done: oneshot::Sender<Result<Vec<Fact>, StoreError>>,
}

/// A job that was passed to the worker. Waiting for it is optional.
#[derive(Debug)]
pub struct Pending(oneshot::Receiver<Result<Vec<Fact>, StoreError>>);

/// The error of a job.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// The worker does not know the job.
    #[error("the job `{0}` is unknown; the worker runs `{EXTRACT}`")]
    Unknown(String),
    /// The input does not fit the job.
    #[error("the input of the job `{EXTRACT}` cannot be read: {0}")]
    Input(#[from] serde_json::Error),
    /// The queue is full.
    #[error("the job was dropped: {QUEUE} are waiting already")]
    Full,
    /// The worker has ended.
    #[error("the job was dropped: the worker is gone")]
    Gone,
    /// The notes could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Worker {
    /// Starts a worker that writes to `store`.
    pub fn start(store: Store) -> Self {
        let (queue, tasks) = sync_channel(QUEUE);
        Self { queue, thread: std::thread::spawn(move || work(&store, &tasks)) }
    }

    /// Queues a job without waiting.
    ///
    /// # Errors
    /// [`JobError`] if the job will not be run.
    pub fn hand(&self, job: &str, input: &Value) -> Result<Pending, JobError> {
        if job != EXTRACT {
            return Err(JobError::Unknown(job.to_owned()));
        }
        let job = serde_json::from_value(input.clone())?;
        let (done, pending) = oneshot::channel();
        self.queue.try_send(Task { job, done }).map_err(|error| match error {
            TrySendError::Full(_) => JobError::Full,
            TrySendError::Disconnected(_) => JobError::Gone,
        })?;
        Ok(Pending(pending))
    }

    /// Completes the waiting jobs and ends the worker.
    pub async fn close(self) {
        let Self { queue, thread } = self;
        drop(queue);
        // If the worker panicked, the waiting callers have already got an error.
        let _ = tokio::task::spawn_blocking(|| thread.join()).await;
    }
}

impl Pending {
    /// Waits for the job, and returns the facts that were learnt.
    ///
    /// # Errors
    /// [`JobError`].
    pub async fn done(self) -> Result<Vec<Fact>, JobError> {
        Ok(self.0.await.map_err(|_| JobError::Gone)??)
    }
}

fn work(store: &Store, tasks: &Receiver<Task>) {
    for Task { job, done } in tasks {
        let facts = extract::facts(&job.said, &job.turn);
        let kept = if facts.is_empty() {
            Ok(())
        } else {
            store.update(|notes| facts.iter().try_for_each(|fact| notes.keep(fact)))
        };
        // Nobody may be waiting.
        let _ = done.send(kept.map(|()| facts));
    }
}
