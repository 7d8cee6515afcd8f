//! Executes jobs.

use std::sync::Arc;
use std::time::Instant;

use crate::context::HookContext;
use crate::detached::{DetachedRun, Job, Notice, Permit, until_shutdown};
use crate::diagnostics::Issue;
use crate::engine::Engine;
use crate::id::HookId;
use crate::options::RunMode;
use crate::record::{RunEnd, Status};
use crate::registry::Registry;
use crate::text::{nearest_names, redacted};
use crate::verdict::Contributions;

/// How an attempt at a job ended.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "`ended.again` says whether the job must be retried"]
#[non_exhaustive]
pub struct JobEnd {
    /// The end notice, which observers receive too. [`again`](RunEnd::again) says whether the job must be retried.
    pub ended: RunEnd,
    /// The audit notes and background jobs that the hook returned.
    pub contributions: Contributions,
}

/// Why a job could not be executed here. A retry would fail the same way, so do not retry it.
pub type JobError = Issue<JobErrorKind>;

/// The kind of a [`JobError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JobErrorKind {
    /// The hook is not registered in this process.
    UnknownHook,
    /// The hook is disabled here, by the app or by an operator's override.
    Disabled,
    /// The hook's plugin is not installed here, or failed to start.
    NoPlugin,
    /// The hook is no longer a background hook of that kind.
    NotBackground,
    /// Event, subject or parameters no longer match the hook's types.
    Unreadable,
}

impl Registry {
    /// Executes a job, in this process or in a worker process that links the same hooks.
    ///
    /// The hook's context has the state of `worker` and the ids of the job. Observers of this registry see how the run
    /// ended. If the future is dropped, the run is reported as cancelled.
    ///
    /// # Errors
    /// [`JobError`] if the hook is not available here, or if the job cannot be deserialized. The failure of the hook is
    /// not an error: [`RunEnd::again`] says whether to retry the job, with [`Job::again`].
    ///
    /// ```
    /// # use hook_sdk::prelude::*;
    /// # use hook_sdk::detached::Job;
    /// # async fn push(_: Job) {}
    /// async fn work(registry: &Registry, line: &str) -> Result<(), Box<dyn std::error::Error>> {
    ///     let job: Job = serde_json::from_str(line)?;
    ///     let end = registry.run_job(&HookContext::new(), &job).await?;
    ///     if end.ended.again {
    ///         push(job.again()).await;
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub async fn run_job(&self, worker: &HookContext, job: &Job) -> Result<JobEnd, JobError> {
        let run = self.read_job(worker, job)?;
        let notice = notice(self, job, self.tasks().take_in());
        Ok(attempt(self, job, run, notice, true).await)
    }

    /// Builds a run from a job.
    pub(super) fn read_job(&self, worker: &HookContext, job: &Job) -> Result<DetachedRun, JobError> {
        let snapshot = self.snapshot();
        let (id, hook, kind) = (&job.id, &job.hook, &job.kind);
        let error =
            |kind, why: String| Err(JobError::new(kind, hook, format!("the job `{id}` is for the hook `{hook}`{why}")));
        let Some(registered) = snapshot.hooks.get(hook) else {
            let meant = nearest_names(hook.as_str(), snapshot.hooks.keys().map(HookId::as_str));
            let why = format!(
                ", which is not registered{meant} (if its crate is not linked into the worker, write `use that_crate as _;`; or its feature or its `cfg` is off)"
            );
            return error(JobErrorKind::UnknownHook, why);
        };
        if snapshot.disabled.contains(hook) || snapshot.disabled_by(registered).is_some() {
            return error(JobErrorKind::Disabled, ", which is disabled".to_owned());
        }
        let (known, _) = snapshot.overridden(registered);
        let out = |plugin: &&HookId| {
            snapshot.installed(plugin.as_str()).is_none() || snapshot.closed(plugin.as_str()).is_some()
        };
        if let Some(plugin) = known.plugin.as_ref().filter(out) {
            let why = format!(" of the plugin `{plugin}`, which is not installed or failed to start");
            return error(JobErrorKind::NoPlugin, why);
        }
        let binding = known.bindings.iter().find(|binding| binding.kind.name == kind);
        let Some(binding) = binding.filter(|binding| binding.options.run == RunMode::Background) else {
            let why = format!(" at `{kind}`, where it is not a background hook");
            return error(JobErrorKind::NotBackground, why);
        };
        let cx = job.within(worker).outliving(snapshot.tasks.shutdown.clone());
        let unreadable = |(part, cause): (&str, String)| {
            // Errors of serde quote their input.
            let cause = redacted(&cause);
            let text = format!("the job `{id}` of the hook `{hook}` cannot run: invalid {part}: {cause}");
            JobError::new(JobErrorKind::Unreadable, hook, text)
        };
        let engine = Engine::of_binding(binding).ok_or(("kind", "its type was not derived".to_owned()));
        engine.and_then(|engine| (engine.read_job)(&known, binding, cx, job)).map_err(unreadable)
    }
}

pub(super) fn notice(registry: &Registry, job: &Job, permit: Permit) -> Notice {
    let snapshot = registry.snapshot();
    let mut bindings = snapshot.hooks.get(&job.hook).into_iter().flat_map(|hook| &*hook.bindings);
    let binding = bindings.find(|binding| binding.kind.name == job.kind);
    let visibility = binding.map(|binding| binding.options.visibility).unwrap_or_default();
    Notice::of_job(job, visibility, Arc::clone(&snapshot.observers), permit)
}

/// Runs a job until the registry is shut down. A `durable` one that is cut off can run again if its hook is idempotent, as
/// if this process had died.
pub(super) async fn attempt(
    registry: &Registry,
    job: &Job,
    run: DetachedRun,
    mut notice: Notice,
    durable: bool,
) -> JobEnd {
    notice.started = Some(Instant::now());
    let shutdown = registry.tasks().shutdown.clone();
    let mut outcome = until_shutdown(&shutdown, run).await;
    let mut last = job.attempt >= job.max_attempts;
    match &mut outcome {
        Err(why) if why.status == Status::Cancelled && durable && job.idempotent => {
            (why.terminal, last) = (false, false);
        }
        _ => {}
    }
    let (ended, contributions) = notice.end(outcome, last);
    JobEnd { ended, contributions }
}
