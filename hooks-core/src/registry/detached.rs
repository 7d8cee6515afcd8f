//! The registry's methods for detached and background hooks.

use std::sync::{Arc, RwLock, Weak};
use std::time::Duration;

use super::{Registry, Snapshot};
use crate::detached::{BackgroundSink, DrainReport, Tasks};

impl Registry {
    /// Sets the sink for background jobs of sets made from now on. [`Worker::start`](crate::worker::Worker::start) does
    /// this for the worker of this process.
    pub fn set_background(&self, sink: impl BackgroundSink) {
        let sink: Arc<dyn BackgroundSink> = Arc::new(sink);
        let replaced = self.edit(|snapshot| snapshot.sink.replace(sink));
        drop(replaced);
    }

    /// Limits the number of concurrent detached runs; the default is
    /// 256. Runs over the limit are recorded as dropped. Takes effect
    /// at once, also for existing sets.
    pub fn set_detached_limit(&self, limit: usize) {
        self.tasks().set_limit(limit);
    }

    /// Shuts down detached and background runs, at the end of the program. Waits for the detached runs and background
    /// jobs of this process, cancels those that are left after `deadline`, and returns how all of them ended. From its
    /// start on no new runs are admitted; they are recorded as dropped.
    ///
    /// A plain function that never returns cannot be cancelled; it is counted as
    /// [`running`](crate::detached::Counts::running).
    ///
    /// ```
    /// use hook_sdk::data::Role;
    /// use hook_sdk::kinds::*;
    /// use hook_sdk::prelude::*;
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::empty();
    /// let count = Hook::at::<AfterCreateMessage>("count").detached(|_, event, _| {
    ///     Box::pin(async move { println!("{}", event.message.text()) })
    /// });
    /// registry.register(count)?;
    /// let hooks = registry.scope(&AgentDef::new("support").hooks(["count"]), None)?;
    /// hooks.fire(&HookContext::new(), &AfterCreateMessage::new(Message::new(Role::User, "hello")), ()).await?;
    /// let drained = registry.drain(Duration::from_secs(5)).await;
    /// assert_eq!((drained.detached.done, drained.detached.cancelled), (1, 0));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn drain(&self, deadline: Duration) -> DrainReport {
        self.tasks().drain(deadline).await
    }

    pub(crate) fn tasks(&self) -> Arc<Tasks> {
        Arc::clone(&self.snapshot().tasks)
    }

    pub(crate) fn downgrade(&self) -> WeakRegistry {
        Arc::downgrade(&self.snapshot)
    }

    /// The registry of a weak reference, if it still exists.
    pub(crate) fn upgrade(weak: &WeakRegistry) -> Option<Self> {
        weak.upgrade().map(|snapshot| Self { snapshot })
    }
}

/// A weak reference to a registry.
pub(crate) type WeakRegistry = Weak<RwLock<Arc<Snapshot>>>;
