//! Serialized background runs.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::context::{HookContext, Ids};
use crate::id::HookId;
use crate::text::fingerprint;

/// A background run in serializable form, which [`Registry::run_job`](crate::Registry::run_job) executes in this
/// process or in another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Job {
    /// The id of the job.
    pub id: String,
    /// The id of the hook to run.
    pub hook: HookId,
    /// The name that a list gave to the hook, if it is not its id.
    #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
    pub alias: Option<HookId>,
    /// The name of the kind that was fired.
    pub kind: String,
    /// The event as JSON.
    pub event: Value,
    /// The subject at the hook's place in the plan, if the hook takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Value>,
    /// The parameters that the list passed to the hook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<Value>,
    /// The ids of the dispatch's context. The app's state is not included.
    pub context: Ids,
    /// The number of this attempt, starting at 1.
    pub attempt: u32,
    /// The maximum number of attempts: the hook's `retries` plus one.
    pub max_attempts: u32,
    /// How long after it was queued the first attempt starts.
    #[serde(default, skip_serializing_if = "Duration::is_zero")]
    pub delay: Duration,
    /// Whether the hook declares that it may run twice. If so, a queue may repeat a run whose end it did not see.
    #[serde(default)]
    pub idempotent: bool,
    /// Equal for two jobs of one hook with the same kind, event, subject, parameters and ids, whichever process made
    /// them.
    pub idempotency_key: String,
}

impl Job {
    /// The name of the hook in records: its id, unless a list gave it another one.
    pub fn name(&self) -> &HookId {
        self.alias.as_ref().unwrap_or(&self.hook)
    }

    /// Computes the idempotency key from the other fields.
    pub(crate) fn keyed(mut self) -> Self {
        let parts = (self.name(), &self.kind, &self.event, &self.subject, &self.with, &self.context);
        // `Value`s and strings always serialize.
        self.idempotency_key = fingerprint(serde_json::to_value(parts).unwrap_or_default());
        self
    }

    /// The context for a run of the job: the job's ids with the worker's state.
    pub(crate) fn within(&self, worker: &HookContext) -> HookContext {
        worker.to_builder().with_ids(self.context.clone()).build()
    }

    /// Returns the job for its next attempt, with the same id and key.
    #[must_use]
    pub fn again(&self) -> Self {
        Self { attempt: self.attempt.saturating_add(1), ..self.clone() }
    }
}

/// An id that is unique across processes and jobs.
pub(crate) fn fresh_id() -> String {
    static PROCESS: OnceLock<u64> = OnceLock::new();
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let process = PROCESS.get_or_init(|| RandomState::new().build_hasher().finish());
    format!("{process:016x}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}
