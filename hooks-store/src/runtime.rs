//! The thread on which a store writes.

use std::fmt;
use std::io;
use std::sync::Arc;

use hooks_agent::store::StoreError;
use tokio::runtime::{Builder, Runtime};

/// A thread of the store's own. A transaction that writes begins and ends on it, so that code of the app that blocks its own
/// thread never holds the lock of one, and a caller that stops waiting leaves no half of one.
#[derive(Clone)]
pub(crate) struct StoreRuntime(Arc<Owned>);

struct Owned(Option<Runtime>);

impl StoreRuntime {
    pub(crate) fn start() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("hooks-store").enable_all().build()?;
        Ok(Self(Arc::new(Owned(Some(runtime)))))
    }

    /// Begins `work`, which comes to its end whether somebody waits for it or not.
    pub(crate) fn spawn<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Option<tokio::task::JoinHandle<T>> {
        self.0.0.as_ref().map(|runtime| runtime.spawn(work))
    }

    /// Runs `work` on the thread, and waits for it.
    pub(crate) async fn run<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, E>> + Send + 'static,
    ) -> Result<T, E> {
        let ended = || E::from(StoreError::new("the thread of the store has ended"));
        let Some(running) = self.spawn(work) else { return Err(ended()) };
        running.await.map_err(|_| ended())?
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // A runtime that is dropped within another one would panic.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for StoreRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoreRuntime")
    }
}
