//! Background runs: bounded in number, and drained at shutdown.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The maximum number of concurrent background runs.
const MOST: usize = 64;

/// The background runs.
#[derive(Clone, Debug)]
pub(crate) struct Background {
    tasks: TaskTracker,
    room: Arc<Semaphore>,
    end: CancellationToken,
}

impl Default for Background {
    fn default() -> Self {
        Self { tasks: TaskTracker::new(), room: Arc::new(Semaphore::new(MOST)), end: CancellationToken::new() }
    }
}

impl Background {
    /// Starts `run`. Returns `false` if there are too many runs, or after the shutdown.
    pub(crate) fn start(&self, run: impl Future<Output = ()> + Send + 'static) -> bool {
        let Ok(place) = Arc::clone(&self.room).try_acquire_owned() else { return false };
        if self.end.is_cancelled() {
            return false;
        }
        let end = self.end.clone();
        self.tasks.spawn(async move {
            // Dropping a run kills its processes.
            let _ = end.run_until_cancelled(run).await;
            drop(place);
        });
        true
    }

    /// Waits for all runs, and kills those that have not ended after `limit`. Returns how many were killed.
    pub(crate) async fn drain(&self, limit: Duration) -> usize {
        self.tasks.close();
        if tokio::time::timeout(limit, self.tasks.wait()).await.is_ok() {
            return 0;
        }
        let left = self.tasks.len();
        self.end.cancel();
        self.tasks.wait().await;
        left
    }
}
