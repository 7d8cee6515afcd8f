//! The registry's methods for detached and background hooks.

use std::sync::{Arc, RwLock, Weak};
use std::time::Duration;

use super::{Registry, Snapshot};
use crate::detached::{BackgroundSink, DetachedRuns, DrainReport};
use crate::id::HookId;
use crate::options::Visibility;

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
        self.detached_runs().tasks.set_limit(limit);
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
        let tasks = self.detached_runs().tasks;
        tasks.drain(deadline).await
    }

    pub(crate) fn detached_runs(&self) -> DetachedRuns {
        self.snapshot().detached_runs()
    }

    /// The visibility of the hook at a kind; the default if the hook is not registered.
    pub(crate) fn visibility_of(&self, id: &HookId, kind: &str) -> Visibility {
        let snapshot = self.snapshot();
        let mut bindings = snapshot.hooks.get(id).into_iter().flat_map(|hook| &*hook.bindings);
        bindings.find(|binding| binding.kind.name == kind).map(|binding| binding.options.visibility).unwrap_or_default()
    }

    pub(crate) fn downgrade(&self) -> WeakRegistry {
        WeakRegistry { snapshot: Arc::downgrade(&self.snapshot) }
    }
}

impl Snapshot {
    pub(super) fn detached_runs(&self) -> DetachedRuns {
        DetachedRuns { tasks: Arc::clone(&self.tasks), observers: Arc::clone(&self.observers), sink: self.sink.clone() }
    }
}

/// A weak reference to a registry.
#[derive(Clone)]
pub(crate) struct WeakRegistry {
    snapshot: Weak<RwLock<Arc<Snapshot>>>,
}

impl WeakRegistry {
    pub(crate) fn upgrade(&self) -> Option<Registry> {
        self.snapshot.upgrade().map(|snapshot| Registry { snapshot })
    }
}
