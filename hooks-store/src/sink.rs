//! The background of a registry.

use std::collections::HashMap;
use std::sync::mpsc;
use std::time::Duration;

use hooks_core::detached::{BackgroundSink, Job, Refused};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::database::Database;
use crate::error::OpenError;
use crate::jobs;
use crate::store::Store;

/// How long a hook waits for its job to be stored.
const PATIENCE: Duration = Duration::from_secs(15);

/// Jobs that are stored in one transaction at most.
const BATCH: usize = 256;

/// Queues the jobs of background hooks in a store: the `background` of a [`Registry`](hooks_core::Registry).
///
/// A run is recorded as queued when its job is committed. The dispatch waits for that, some milliseconds on a disk, and so does its
/// thread; jobs that are queued at once share a commit.
#[derive(Debug)]
pub struct JobQueue {
    queue: UnboundedSender<Request>,
    /// Its thread writes the jobs.
    _store: Store,
}

#[derive(Debug)]
struct Request {
    job: Job,
    done: mpsc::Sender<Result<(), Refused>>,
}

impl Store {
    /// A background for registries, which queues jobs here: `registry.set_background(store.job_queue().await?)`.
    ///
    /// A [`Worker`](crate::Worker) runs them, in this process or in another one.
    ///
    /// # Errors
    /// [`OpenError`] where the store is closed.
    #[allow(clippy::unused_async, reason = "what opens it may have to wait one day")]
    pub async fn job_queue(&self) -> Result<JobQueue, OpenError> {
        let (queue, requests) = unbounded_channel();
        let ended = || OpenError::Address { url: self.address.shown.clone(), reason: "it is closed".to_owned() };
        let _work = self.runtime.spawn(work(self.database.clone(), requests)).ok_or_else(ended)?;
        Ok(JobQueue { queue, _store: self.clone() })
    }
}

/// Stores what is queued until nobody can queue any more.
async fn work(database: Database, mut requests: UnboundedReceiver<Request>) {
    let mut batch = Vec::with_capacity(BATCH);
    while requests.recv_many(&mut batch, BATCH).await > 0 {
        let stored = store(&database, &batch).await;
        for (at, request) in batch.drain(..).enumerate() {
            let answer = match &stored {
                Ok(refused) => refused.get(&at).map_or(Ok(()), |why| Err(Refused::Failed(why.clone()))),
                Err(error) => Err(Refused::Failed(error.to_string())),
            };
            // Whoever does not wait any more was told that it failed.
            let _ = request.done.send(answer);
        }
    }
}

/// Stores all of them or none, but for those that cannot be written, which are returned by their place.
async fn store(database: &Database, batch: &[Request]) -> Result<HashMap<usize, String>, sqlx::Error> {
    let mut refused = HashMap::new();
    let mut tx = database.write().await?;
    for (at, Request { job, .. }) in batch.iter().enumerate() {
        if let Err(error) = jobs::insert(&mut tx, job, &job.id).await? {
            refused.insert(at, error.to_string());
        }
    }
    tx.commit().await?;
    Ok(refused)
}

impl BackgroundSink for JobQueue {
    fn enqueue(&self, job: Job) -> Result<(), Refused> {
        let (done, answer) = mpsc::channel();
        self.queue.send(Request { job, done }).map_err(|_| Refused::Closed)?;
        // The store writes on a thread of its own, so what this one has begun cannot be what it waits for.
        match answer.recv_timeout(PATIENCE) {
            Ok(stored) => stored,
            Err(_) => Err(Refused::Failed(format!("it was not stored within {PATIENCE:?}"))),
        }
    }
}
