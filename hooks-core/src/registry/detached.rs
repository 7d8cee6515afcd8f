//! What a registry has for hooks that no dispatch waits for.

use std::sync::{Arc, RwLock, Weak};
use std::time::Duration;

use super::{Registry, Snapshot};
use crate::detached::{BackgroundSink, DetachedRuns, Drained};
use crate::id::HookId;
use crate::options::Visibility;

impl Registry {
    /// Where background jobs of sets made from now on go. [`Worker::start`](crate::worker::Worker::start) does this
    /// for the worker of this process.
    pub fn set_background(&self, sink: impl BackgroundSink) {
        let sink: Arc<dyn BackgroundSink> = Arc::new(sink);
        let replaced = self.edit(|snapshot| snapshot.sink.replace(sink));
        drop(replaced);
    }

    /// How many detached runs there may be at a time; [`DETACHED_LIMIT`](crate::detached::DETACHED_LIMIT) where nothing
    /// is said. What is over it is recorded as dropped. Holds at once, for sets that are there already too.
    pub fn set_detached_limit(&self, limit: usize) {
        self.detached_runs().tasks.set_limit(limit);
    }

    /// Ends what no dispatch waits for: waits for detached runs and background jobs of this process, cuts off after `deadline`
    /// what is left, and says what became of all. From its start on nothing new is begun; what would be is recorded as
    /// dropped. For the end of the program.
    ///
    /// A plain function that computes without end cannot be cut off; it is counted as
    /// [`running`](crate::detached::Counts::running).
    ///
    /// ```
    /// use hooks_core::kinds::*;
    /// use hooks_core::prelude::*;
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
    pub async fn drain(&self, deadline: Duration) -> Drained {
        let tasks = self.detached_runs().tasks;
        tasks.drain(deadline).await
    }

    pub(crate) fn detached_runs(&self) -> DetachedRuns {
        self.snapshot().detached_runs()
    }

    /// Whom the hook concerns; of one that is not here, nothing is known.
    pub(crate) fn visibility_of(&self, id: &HookId) -> Visibility {
        self.snapshot().hooks.get(id).map(|registered| registered.hook.options.visibility).unwrap_or_default()
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

/// A registry that may be gone.
pub(crate) struct WeakRegistry {
    snapshot: Weak<RwLock<Arc<Snapshot>>>,
}

impl WeakRegistry {
    pub(crate) fn upgrade(&self) -> Option<Registry> {
        self.snapshot.upgrade().map(|snapshot| Registry { snapshot })
    }
}
