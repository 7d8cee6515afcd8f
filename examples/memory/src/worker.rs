//! Does what hooks put off: jobs, one after the other, on a thread of their own.

use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use serde_json::Value;
use tokio::sync::oneshot;

use crate::extract;
use crate::fact::Fact;
use crate::hooks::{EXTRACT, Extract};
use crate::store::{Store, StoreError};

/// Jobs that may wait.
const QUEUE: usize = 64;

/// Does jobs in the order in which they are handed over: of two turns that say what the dog is called, the later counts.
///
/// The queue is in memory. A job that waits when the process is killed is lost, and what its turn taught with it.
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

/// A job that was handed over. Nobody has to wait for it.
#[derive(Debug)]
pub struct Pending(oneshot::Receiver<Result<Vec<Fact>, StoreError>>);

/// Why a job was not done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// This worker does not do jobs of this name.
    #[error("nobody here does the job `{0}`; the worker does `{EXTRACT}`")]
    Unknown(String),
    /// The input is not one of the job.
    #[error("the input of the job `{EXTRACT}` cannot be read: {0}")]
    Input(#[from] serde_json::Error),
    /// Too many wait already.
    #[error("the job was dropped: {QUEUE} are waiting already")]
    Full,
    /// The worker is gone.
    #[error("the job was dropped: the worker is gone")]
    Gone,
    /// The notes could not be written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Worker {
    /// A worker that writes to `store`.
    pub fn start(store: Store) -> Self {
        let (queue, tasks) = sync_channel(QUEUE);
        Self { queue, thread: std::thread::spawn(move || work(&store, &tasks)) }
    }

    /// Hands a job over, without waiting for anything.
    ///
    /// # Errors
    /// [`JobError`]: the job will not be done.
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

    /// Does what still waits, and ends.
    pub async fn close(self) {
        let Self { queue, thread } = self;
        drop(queue);
        // Nothing is left to do for a worker that panicked: those who wait for its jobs are told.
        let _ = tokio::task::spawn_blocking(|| thread.join()).await;
    }
}

impl Pending {
    /// The facts that were learnt, once the job is done.
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
        // Nobody may wait for it.
        let _ = done.send(kept.map(|()| facts));
    }
}
