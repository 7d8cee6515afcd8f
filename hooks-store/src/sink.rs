//! The background of a registry.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use hooks_core::detached::{BackgroundSink, Job, Refused};
use tokio::runtime::{Builder, Handle, RuntimeFlavor};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::database::Database;
use crate::error::OpenError;
use crate::jobs;
use crate::options::OpenOptions;
use crate::store::Store;

/// How long a hook waits for its job to be stored.
const PATIENCE: Duration = Duration::from_secs(15);

/// Jobs that are stored in one transaction at most.
const BATCH: usize = 256;

/// Queues the jobs of background hooks in a store: the `background` of a [`Registry`](hooks_core::Registry).
///
/// A run is recorded as queued when its job is committed. The dispatch waits for that, some milliseconds on a disk; jobs that
/// are queued at once share a commit. It has a thread and a connection of its own, so it works on any runtime.
#[derive(Debug)]
pub struct JobQueue {
    queue: UnboundedSender<Request>,
}

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
    /// [`OpenError`] where the database gives no further connection.
    pub async fn job_queue(&self) -> Result<JobQueue, OpenError> {
        let (queue, requests) = unbounded_channel();
        let (ready, is_ready) = tokio::sync::oneshot::channel();
        let (address, options) =
            (self.address.clone(), OpenOptions::new().synchronous(self.synchronous).connections(1));
        let failed = |reason: String| OpenError::Address { url: self.address.shown.clone(), reason };
        thread::Builder::new()
            .name("hooks-job-queue".to_owned())
            .spawn(move || {
                let runtime = match Builder::new_current_thread().enable_all().build() {
                    Ok(runtime) => runtime,
                    Err(error) => return drop(ready.send(Err(sqlx::Error::Io(error)))),
                };
                runtime.block_on(async {
                    match Database::connect(&address, &options).await {
                        Ok(database) => {
                            let _ = ready.send(Ok(()));
                            work(&database, requests).await;
                            database.close().await;
                        }
                        Err(error) => drop(ready.send(Err(error))),
                    }
                });
            })
            .map_err(|error| failed(format!("no thread can be started: {error}")))?;
        match is_ready.await {
            Ok(Ok(())) => Ok(JobQueue { queue }),
            Ok(Err(source)) => Err(OpenError::Database { url: self.address.shown.clone(), source }),
            Err(_) => Err(failed("the thread of its queue ended".to_owned())),
        }
    }
}

/// Stores what is queued until nobody can queue any more.
async fn work(database: &Database, mut requests: UnboundedReceiver<Request>) {
    let mut batch = Vec::with_capacity(BATCH);
    while requests.recv_many(&mut batch, BATCH).await > 0 {
        let stored = store(database, &batch).await;
        for (at, request) in batch.drain(..).enumerate() {
            let answer = match &stored {
                Ok(refused) => refused.get(&at).map_or(Ok(()), |why| Err(Refused::Failed(why.clone()))),
                Err(error) => Err(Refused::Failed(error.to_string())),
            };
            // Whoever does not wait any more was told that it failed; the key keeps a second one from running.
            let _ = request.done.send(answer);
        }
    }
}

/// Stores all of them or none, but for those that cannot be written, which are returned by their place.
async fn store(
    database: &Database,
    batch: &[Request],
) -> Result<std::collections::HashMap<usize, String>, sqlx::Error> {
    let mut refused = std::collections::HashMap::new();
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
        let wait = || match answer.recv_timeout(PATIENCE) {
            Ok(stored) => stored,
            Err(_) => Err(Refused::Failed(format!("it was not stored within {PATIENCE:?}"))),
        };
        match Handle::try_current().map(|handle| handle.runtime_flavor()) {
            // Lets the other tasks of this thread go on elsewhere.
            Ok(RuntimeFlavor::MultiThread) => tokio::task::block_in_place(wait),
            _ => wait(),
        }
    }
}
