//! One background run in writing.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::context::{HookContext, Ids};
use crate::id::HookId;
use crate::text::Fnv;

/// One background run in writing: what [`Registry::run_job`](crate::Registry::run_job) executes, here or elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Job {
    /// Its own id.
    pub id: String,
    /// The hook.
    pub hook: HookId,
    /// The name of the kind that was fired.
    pub kind: String,
    /// The event.
    pub event: Value,
    /// The subject as it was at the hook's place in the plan, where the hook takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Value>,
    /// The parameters that a list gave to the hook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<Value>,
    /// Where the dispatch happened. State of the app does not travel.
    pub context: Ids,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// How many there may be: one, and the hook's `retries`.
    pub max_attempts: u32,
    /// Whether the hook says that it may run twice: what a queue may do with a run whose end it did not see.
    #[serde(default)]
    pub idempotent: bool,
    /// The same for two jobs of one hook with the same kind, event, subject, parameters and ids, in whatever process they
    /// were made.
    pub idempotency_key: String,
}

impl Job {
    pub(crate) fn new(hook: &HookId, kind: &str, event: Value, subject: Option<Value>, cx: &HookContext) -> Self {
        Self {
            id: fresh_id(),
            hook: hook.clone(),
            kind: kind.to_owned(),
            event,
            subject,
            with: None,
            context: Ids::clone(cx.ids()),
            attempt: 1,
            max_attempts: 1,
            idempotent: false,
            idempotency_key: String::new(),
        }
    }

    /// Fills in the key, when everything else is there.
    pub(crate) fn keyed(mut self) -> Self {
        let parts = (&self.hook, &self.kind, &self.event, &self.subject, &self.with, &self.context);
        // What was made of `Value`s and texts can always be written. Builds differ in the order of fields.
        let mut parts = serde_json::to_value(parts).unwrap_or_default();
        parts.sort_all_objects();
        let mut key = Fnv::new();
        key.write(parts.to_string().into_bytes());
        self.idempotency_key = key.digits();
        self
    }

    /// The context of a run of the job: the ids of the job with the state of `worker`.
    pub(crate) fn within(&self, worker: &HookContext) -> HookContext {
        worker.to_builder().with_ids(self.context.clone()).build()
    }

    /// The same job, to be tried once more; its id and its key stay.
    #[must_use]
    pub fn again(&self) -> Self {
        Self { attempt: self.attempt.saturating_add(1), ..self.clone() }
    }
}

/// Different in each process and for each job.
fn fresh_id() -> String {
    static PROCESS: OnceLock<u64> = OnceLock::new();
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let process = PROCESS.get_or_init(|| RandomState::new().build_hasher().finish());
    format!("{process:016x}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}
