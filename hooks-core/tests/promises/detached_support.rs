//! Helpers for detached and background hooks: a kind, a queue for their jobs, and the ends of their runs.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::detached::{BackgroundSink, EnqueueError, Job};
use hook_sdk::record::{OnEnd, RunEnd, Status};
use hook_sdk::verdict::Contribution;
use serde::{Deserialize, Serialize};

use super::support::*;

pub(crate) const SOON: Duration = Duration::from_secs(5);

/// A contribute kind that can be serialised.
#[derive(Clone, Debug, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "wind_down", subject = Vec<u32>, verdict = Contributions, json)]
pub(crate) struct WindDown {
    pub(crate) number: u32,
}

pub(crate) fn wind_down() -> WindDown {
    WindDown { number: 7 }
}

/// The ends of runs, in the order in which an observer was notified.
#[derive(Clone, Default)]
pub(crate) struct Ends(Arc<Mutex<Vec<RunEnd>>>);

impl Ends {
    pub(crate) fn of(registry: &Registry) -> Self {
        let ends = Self::default();
        let into = Arc::clone(&ends.0);
        registry.observe(OnEnd(move |ended: &RunEnd, _: &Contributions| into.lock().unwrap().push(ended.clone())));
        ends
    }

    pub(crate) fn all(&self) -> Vec<RunEnd> {
        self.0.lock().unwrap().clone()
    }

    /// Hook, status and attempt.
    pub(crate) fn rows(&self) -> Vec<(String, Status, u32)> {
        self.all().iter().map(|ended| (ended.run.hook.to_string(), ended.run.status, ended.attempt)).collect()
    }
}

pub(crate) fn row(hook: &str, status: Status, attempt: u32) -> (String, Status, u32) {
    (hook.to_owned(), status, attempt)
}

pub(crate) fn scope(registry: &Registry, hooks: &[&str]) -> HookSet {
    registry.scope(&AgentDef::new("a").hooks(hooks.iter().copied()), None).unwrap()
}

/// An event for detached and background hooks.
#[derive(Clone, Debug, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "seen_often", json)]
pub(crate) struct SeenOften {}

/// Takes jobs as lines of JSON.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<String>>>);

impl BackgroundSink for Lines {
    fn enqueue(&self, job: Job) -> Result<(), EnqueueError> {
        self.0.lock().unwrap().push(serde_json::to_string(&job).unwrap());
        Ok(())
    }
}

impl Lines {
    pub(crate) fn jobs(&self) -> Vec<Job> {
        self.0.lock().unwrap().iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// A background hook at `wind_down`.
pub(crate) fn background<R>(name: &'static str, run: impl Fn(u32, &[u32]) -> R + Send + Sync + 'static) -> Hook
where
    R: Into<Vec<Contribution>> + Send + 'static,
{
    Hook::at::<WindDown>(name).background(move |_, event, subject| {
        let said: Vec<Contribution> = run(event.number, subject).into();
        Box::pin(async move { said })
    })
}
