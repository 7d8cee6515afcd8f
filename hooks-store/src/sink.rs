//! A background sink for registries.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use hook_sdk::detached::{BackgroundSink, EnqueueError, Job};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::database::{Database, Tx};
use crate::error::Failure;
use crate::jobs;
use crate::store::Store;

/// The pause after a commit of which nobody knows whether it succeeded.
const PAUSE: Duration = Duration::from_millis(25);

/// The maximum number of jobs per transaction.
const BATCH: usize = 256;

/// Queues the jobs of background hooks in a store. Set it as the `background` of a [`Registry`](hook_sdk::Registry).
///
/// A run is recorded as queued after its job is committed. The dispatch blocks its thread until the commit, which takes
/// a few milliseconds. Jobs that are queued at the same time share a commit.
#[derive(Debug)]
pub struct JobQueue {
    queue: UnboundedSender<Request>,
    patience: Duration,
    /// Keeps the thread that writes the jobs.
    _store: Store,
}

#[derive(Debug)]
struct Request {
    job: Job,
    /// When the dispatch stops waiting.
    until: Instant,
    /// Set by the first of two: the transaction of the job, and the dispatch that no longer waits for it.
    is_decided: Arc<AtomicBool>,
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
        JobQueue { queue, patience: Duration::from_secs(15), _store: self.clone() }
    }
}

impl JobQueue {
    /// Sets how long a dispatch waits for its job to be stored. After that the job is not queued, or in doubt if its
    /// transaction has begun. Default: 15 s, at most a day.
    #[must_use]
    pub fn patience(mut self, limit: Duration) -> Self {
        self.patience = limit.min(Duration::from_hours(24));
        self
    }
}

/// Stores jobs until the queue is dropped.
async fn work(database: Database, mut requests: UnboundedReceiver<Request>) {
    let mut batch = Vec::with_capacity(BATCH);
    while requests.recv_many(&mut batch, BATCH).await > 0 {
        batch.retain(|request| !request.is_decided.swap(true, Ordering::SeqCst));
        let until = batch.iter().map(|request| request.until).max();
        let (jobs, waiting): (Vec<_>, Vec<_>) = batch.drain(..).map(|request| (request.job, request.done)).unzip();
        let stored = store_surely(&database, jobs.into(), until).await;
        for (at, done) in waiting.into_iter().enumerate() {
            let answer = match &stored {
                Ok(refused) => refused.get(&at).map_or(Ok(()), |why| Err(EnqueueError::Failed(why.clone()))),
                Err(failure @ Failure::InDoubt(_)) => Err(EnqueueError::InDoubt(failure.to_string())),
                Err(failure) if failure.is_closed() => Err(EnqueueError::Closed),
                Err(failure) => Err(EnqueueError::Failed(failure.to_string())),
            };
            // A dispatch that no longer waits knows that it does not know.
            let _ = done.send(answer);
        }
    }
}

/// Stores all jobs or none, again if nobody knows whether the commit succeeded: a job that is stored is not stored twice.
async fn store_surely(
    database: &Database,
    jobs: Arc<[Job]>,
    until: Option<Instant>,
) -> Result<HashMap<usize, String>, Failure> {
    let mut doubt = None;
    loop {
        let jobs = Arc::clone(&jobs);
        match (database.write(move |tx| Box::pin(store(tx, jobs))).await, doubt.take()) {
            (Err(failure @ Failure::InDoubt(_)), _) if until > Some(Instant::now()) => {
                doubt = Some(failure);
                tokio::time::sleep(PAUSE).await;
            }
            // Whatever became of this try, the commit of the one before may still come.
            (Err(_), Some(failure)) => return Err(failure),
            (stored, _) => return stored,
        }
    }
}

/// Stores all jobs or none, except those that cannot be written, which are returned with their index.
async fn store(tx: &mut Tx, jobs: Arc<[Job]>) -> Result<HashMap<usize, String>, Failure> {
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
        let is_decided = Arc::new(AtomicBool::new(false));
        let until = Instant::now() + self.patience;
        let request = Request { job, until, is_decided: Arc::clone(&is_decided), done };
        self.queue.send(request).map_err(|_| EnqueueError::Closed)?;
        // The store writes on its own thread, so it never waits for a transaction of this thread.
        match answer.recv_timeout(self.patience) {
            Ok(stored) => stored,
            Err(_) if is_decided.swap(true, Ordering::SeqCst) => {
                Err(EnqueueError::InDoubt(format!("its transaction did not end within {:?}", self.patience)))
            }
            Err(_) => Err(EnqueueError::Failed(format!("the database accepted nothing for {:?}", self.patience))),
        }
    }
}

#[cfg(feature = "sqlite")]
#[cfg(test)]
mod tests {
    use serde_json::json;
    use sqlx::{AnyConnection, Connection, Executor};

    use super::*;
    use crate::jobs::JobFilter;

    fn job(id: &str) -> Job {
        let job = json!({
            "id": id, "hook": "h", "kind": "after_create_message", "event": null, "context": {},
            "attempt": 1, "max_attempts": 1, "idempotency_key": "",
        });
        serde_json::from_value(job).unwrap()
    }

    /// The first job waits for the lock within its transaction, the second one for the first.
    #[tokio::test(flavor = "multi_thread")]
    async fn what_a_queue_says_about_a_job_that_came_too_late_is_true() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("store.db").to_str().unwrap().to_owned();
        let store = Store::open(&file).await.unwrap();
        let queue = store.job_queue().patience(Duration::from_millis(200));
        let mut other = AnyConnection::connect(&format!("sqlite:{file}")).await.unwrap();
        other.execute("BEGIN IMMEDIATE").await.unwrap();
        let (first, second) = (queue.enqueue(job("first")), queue.enqueue(job("second")));
        assert!(matches!(&first, Err(EnqueueError::InDoubt(_))), "{first:?}");
        assert!(matches!(&second, Err(EnqueueError::Failed(_))), "{second:?}");
        other.execute("COMMIT").await.unwrap();
        let queue = queue.patience(Duration::from_secs(15));
        assert_eq!(queue.enqueue(job("third")), Ok(()));
        let stored: Vec<_> = store.jobs(&JobFilter::new(), 10).await.unwrap().into_iter().map(|job| job.id).collect();
        assert!(stored.contains(&"first".to_owned()) && !stored.contains(&"second".to_owned()), "{stored:?}");

        store.close().await.unwrap();
        assert_eq!(queue.enqueue(job("fourth")), Err(EnqueueError::Closed));
    }
}
