//! The thread on which all work of a store runs.

use std::fmt;

use tokio::runtime::{Builder, Handle, Runtime};

use crate::error::Failure;

/// The thread of a store.
pub(crate) struct StoreRuntime {
    pub(crate) handle: Handle,
    runtime: Option<Runtime>,
}

impl StoreRuntime {
    pub(crate) fn start() -> Result<Self, Failure> {
        let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("hooks-store").enable_all().build();
        let runtime = runtime.map_err(sqlx::Error::Io)?;
        Ok(Self { handle: runtime.handle().clone(), runtime: Some(runtime) })
    }
}

impl Drop for StoreRuntime {
    fn drop(&mut self) {
        // Dropping a runtime inside another one panics.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for StoreRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoreRuntime")
    }
}
