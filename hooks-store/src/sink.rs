//! A background sink for registries.

use std::collections::HashMap;
use std::sync::mpsc;
use std::time::Duration;

use hook_sdk::detached::{BackgroundSink, EnqueueError, Job};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::database::{Database, Tx};
use crate::error::Failure;
use crate::jobs;
use crate::store::Store;

/// How long a dispatch waits for its job to be stored.
const PATIENCE: Duration = Duration::from_secs(15);

/// The maximum number of jobs per transaction.
const BATCH: usize = 256;

/// Queues the jobs of background hooks in a store. Set it as the `background` of a [`Registry`](hook_sdk::Registry).
///
/// A run is recorded as queued after its job is committed. The dispatch blocks its thread until the commit, which takes
/// a few milliseconds. Jobs that are queued at the same time share a commit.
#[derive(Debug)]
pub struct JobQueue {
    queue: UnboundedSender<Request>,
    /// Keeps the thread that writes the jobs.
    _store: Store,
}

#[derive(Debug)]
struct Request {
    job: Job,
    done: mpsc::Sender<Result<(), EnqueueError>>,
}

impl Store {
    /// Returns a background sink for registries that queues jobs in this store:
    /// `registry.set_background(store.job_queue())`.
    ///
    /// A [`JobWorker`](crate::JobWorker) runs the jobs, in this process or another.
    pub fn job_queue(&self) -> JobQueue {
        let (queue, requests) = unbounded_channel();
        self.database.spawn(work(self.database.clone(), requests));
        JobQueue { queue, _store: self.clone() }
    }
}

/// Stores jobs until the queue is dropped.
async fn work(database: Database, mut requests: UnboundedReceiver<Request>) {
    let mut batch = Vec::with_capacity(BATCH);
    while requests.recv_many(&mut batch, BATCH).await > 0 {
        let (jobs, waiting): (Vec<_>, Vec<_>) = batch.drain(..).map(|Request { job, done }| (job, done)).unzip();
        let stored = database.write(move |tx| Box::pin(store(tx, jobs))).await;
        for (at, done) in waiting.into_iter().enumerate() {
            let answer = match &stored {
                Ok(refused) => refused.get(&at).map_or(Ok(()), |why| Err(EnqueueError::Failed(why.clone()))),
                Err(error) => Err(EnqueueError::Failed(error.to_string())),
            };
            // A caller that no longer waits has already been refused.
            let _ = done.send(answer);
        }
    }
}

/// Stores all jobs or none, except those that cannot be serialised, which are returned with their index.
async fn store(tx: &mut Tx, jobs: Vec<Job>) -> Result<HashMap<usize, String>, Failure> {
    let mut refused = HashMap::new();
    for (at, job) in jobs.iter().enumerate() {
        if let Err(error) = jobs::insert(tx, job, &job.id).await? {
            refused.insert(at, error.to_string());
        }
    }
    Ok(refused)
}

impl BackgroundSink for JobQueue {
    fn enqueue(&self, job: Job) -> Result<(), EnqueueError> {
        let (done, answer) = mpsc::channel();
        self.queue.send(Request { job, done }).map_err(|_| EnqueueError::Closed)?;
        // The store writes on its own thread, so it never waits for a transaction of this thread.
        match answer.recv_timeout(PATIENCE) {
            Ok(stored) => stored,
            Err(_) => Err(EnqueueError::Failed(format!("it was not stored within {PATIENCE:?}"))),
        }
    }
}
