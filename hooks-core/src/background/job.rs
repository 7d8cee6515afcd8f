//! One background run in writing.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::HookContext;
use crate::hook::HookId;

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
    /// Where the dispatch happened.
    pub context: JobContext,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// How many there may be: one, and the hook's `retries`.
    pub max_attempts: u32,
    /// The same for two jobs of one hook with the same kind, event, subject, parameters and ids, in whatever process they
    /// were made.
    pub idempotency_key: String,
}

/// The ids of the context in which a job was made. State of the app does not travel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct JobContext {
    /// The app's name.
    pub app: Option<String>,
    /// The agent's name.
    pub agent: Option<String>,
    /// The agents that called it, outermost first.
    pub agent_path: Vec<String>,
    /// The prompt's name.
    pub prompt: Option<String>,
    /// The conversation's id.
    pub conversation: Option<String>,
    /// The turn's number.
    pub turn: Option<u64>,
    /// The request's id.
    pub request: Option<String>,
    /// The place in the app from which the model is called.
    pub call_site: Option<String>,
    /// Whether a person was there to be asked.
    pub human_present: bool,
}

impl JobContext {
    pub(crate) fn of(cx: &HookContext) -> Self {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Self {
            app: owned(cx.app()),
            agent: owned(cx.agent()),
            agent_path: cx.agent_path().to_vec(),
            prompt: owned(cx.prompt()),
            conversation: owned(cx.conversation()),
            turn: cx.turn(),
            request: owned(cx.request()),
            call_site: owned(cx.call_site()),
            human_present: cx.human_present(),
        }
    }

    /// These ids in a context that has the worker's state.
    pub(crate) fn within(&self, worker: &HookContext) -> HookContext {
        let mut cx = worker.to_builder().agent_path(self.agent_path.clone()).human_present(self.human_present);
        if let Some(app) = &self.app {
            cx = cx.app(app.as_str());
        }
        if let Some(agent) = &self.agent {
            cx = cx.agent(agent.as_str());
        }
        if let Some(prompt) = &self.prompt {
            cx = cx.prompt(prompt.as_str());
        }
        if let Some(conversation) = &self.conversation {
            cx = cx.conversation(conversation.as_str());
        }
        if let Some(turn) = self.turn {
            cx = cx.turn(turn);
        }
        if let Some(request) = &self.request {
            cx = cx.request(request.as_str());
        }
        if let Some(call_site) = &self.call_site {
            cx = cx.call_site(call_site.as_str());
        }
        cx.build()
    }
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
            context: JobContext::of(cx),
            attempt: 1,
            max_attempts: 1,
            idempotency_key: String::new(),
        }
    }

    /// Fills in the key, when everything else is there.
    pub(crate) fn keyed(mut self) -> Self {
        let parts = (&self.hook, &self.kind, &self.event, &self.subject, &self.with, &self.context);
        // What was made of `Value`s and texts can always be written. Builds differ in the order of fields.
        let mut parts = serde_json::to_value(parts).unwrap_or_default();
        parts.sort_all_objects();
        let text = parts.to_string();
        self.idempotency_key = format!("{:032x}", fnv(text.as_bytes()));
        self
    }

    /// The same job, to be tried once more; its id and its key stay.
    #[must_use]
    pub fn again(&self) -> Self {
        Self { attempt: self.attempt.saturating_add(1), ..self.clone() }
    }
}

/// FNV-1a of 128 bits: the same in every process, build and version, which no hasher of `std` promises.
fn fnv(bytes: &[u8]) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.iter().fold(BASIS, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME))
}

/// Different in each process and for each job.
fn fresh_id() -> String {
    static PROCESS: OnceLock<u64> = OnceLock::new();
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let process = PROCESS.get_or_init(|| RandomState::new().build_hasher().finish());
    format!("{process:016x}-{}", NEXT.fetch_add(1, Ordering::Relaxed))
}
