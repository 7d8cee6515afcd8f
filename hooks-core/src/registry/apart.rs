//! What a registry has for hooks that nobody waits for.

use std::sync::{Arc, RwLock, Weak};
use std::time::Duration;

use super::{Registry, Snapshot};
use crate::HookContext;
use crate::background::{BackgroundSink, Drained, Job, JobError, Outside};
use crate::config::nearest;
use crate::dispatch::ApartRun;
use crate::hook::{HookId, RunMode, Visibility};

impl Registry {
    /// Where background jobs of sets made from now on go. [`Worker::start`](crate::background::Worker::start) does this
    /// for the worker of this process.
    pub fn set_background(&self, sink: impl BackgroundSink) {
        let sink: Arc<dyn BackgroundSink> = Arc::new(sink);
        let replaced = self.edit(|snapshot| snapshot.sink.replace(sink));
        drop(replaced);
    }

    /// How many detached runs there may be at a time; [`DETACHED_LIMIT`](crate::background::DETACHED_LIMIT) where nothing
    /// is said. What is over it is recorded as dropped. Holds at once, for sets that are there already too.
    pub fn set_detached_limit(&self, limit: usize) {
        self.outside().tasks.set_limit(limit);
    }

    /// Ends what nobody waits for: waits for detached runs and background jobs of this process, cuts off after `deadline`
    /// what is left, and says what became of all. From its start on nothing new is begun; what would be is recorded as
    /// dropped. For the end of the program.
    ///
    /// A plain function that computes without end cannot be cut off; it is counted as
    /// [`running`](crate::background::Counts::running).
    ///
    /// ```
    /// use hooks_core::prelude::*;
    /// use std::time::Duration;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let registry = Registry::empty();
    /// let count = Hook::detached::<AfterCreateMessage, _, _, _>("count", |_, event, _| {
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
        let tasks = self.outside().tasks;
        tasks.drain(deadline).await
    }

    pub(crate) fn outside(&self) -> Outside {
        self.snapshot().outside()
    }

    /// Whom the hook concerns; of one that is not here, nothing is known.
    pub(crate) fn visibility_of(&self, id: &HookId) -> Visibility {
        self.snapshot().hooks.get(id).map(|registered| registered.hook.options.visibility).unwrap_or_default()
    }

    pub(crate) fn downgrade(&self) -> WeakRegistry {
        WeakRegistry { snapshot: Arc::downgrade(&self.snapshot) }
    }

    /// Makes a run of a job.
    pub(crate) fn read_job(&self, worker: &HookContext, job: &Job) -> Result<ApartRun, JobError> {
        let snapshot = self.snapshot();
        let (id, hook) = (job.id.clone(), job.hook.clone());
        let Some(registered) = snapshot.hooks.get(&job.hook) else {
            let nearest = nearest(job.hook.as_str(), snapshot.hooks.keys()).into_iter().next();
            return Err(JobError::UnknownHook { job: id, hook, nearest });
        };
        if !registered.enabled || snapshot.disabled_by(&registered.hook).is_some() {
            return Err(JobError::Disabled { job: id, hook });
        }
        let (known, _) = snapshot.overridden(&registered.hook);
        let out = |plugin: &&Arc<str>| !snapshot.may_run(plugin) || snapshot.has_failed(plugin);
        if let Some(plugin) = known.plugin.as_ref().filter(out) {
            return Err(JobError::NoPlugin { job: id, hook, plugin: plugin.to_string() });
        }
        let binding = known.bindings.iter().find(|binding| binding.kind.name == job.kind);
        let Some(binding) = binding.filter(|_| known.options.run == RunMode::Background) else {
            return Err(JobError::NotBackground { job: id, hook, kind: job.kind.clone() });
        };
        let cx = job.context.within(worker).outliving(snapshot.tasks.shutdown.clone());
        (binding.kind.read_job)(&known, binding, cx, job).map_err(|(part, cause)| JobError::Unreadable {
            job: id,
            hook,
            part,
            cause,
        })
    }
}

impl Snapshot {
    pub(super) fn outside(&self) -> Outside {
        Outside { tasks: Arc::clone(&self.tasks), observers: Arc::clone(&self.observers), sink: self.sink.clone() }
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
