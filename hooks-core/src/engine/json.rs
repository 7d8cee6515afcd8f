//! Firing a kind by its name, with event and subject as JSON: for replay, workers and programs outside.

use serde_json::Value;

use super::Engine;
use crate::context::HookContext;
use crate::data::MessagePool;
use crate::dispatch::{DispatchError, Report};
use crate::handler::BoxFuture;
use crate::kind::{HookKind, KindDescriptor, Removal, all};
use crate::plan::HookSet;
use crate::source::Origin;
use crate::text::{did_you_mean, nearest};

/// The typed dispatch behind a kind's name.
pub(crate) type FireJson = for<'a> fn(
    &'a HookSet,
    &'a HookContext,
    &'a mut MessagePool,
    Value,
    Value,
) -> BoxFuture<'a, Result<JsonFired, JsonError>>;

/// What a dispatch came to, as JSON.
#[derive(Clone, Debug)]
#[must_use = "the subject and the verdict of a dispatch are in here"]
#[non_exhaustive]
pub struct JsonFired {
    /// The subject as the hooks left it; `None` where one removed it.
    pub subject: Option<Value>,
    /// The folded answer; null where the kind has none.
    pub verdict: Value,
    /// What else there is to report.
    pub report: Report,
}

/// Why a kind could not be fired as JSON.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// No kind has this name.
    #[error("there is no kind `{name}`{}", did_you_mean(.nearest))]
    #[non_exhaustive]
    UnknownKind {
        /// The name that was given.
        name: String,
        /// The names that were likely meant.
        nearest: Vec<&'static str>,
    },
    /// Two kinds have this name, and nothing says which one is meant.
    #[error("two kinds are called `{name}`: {first} and {second}; rename one of them")]
    #[non_exhaustive]
    KindNameTwice {
        /// The name.
        name: &'static str,
        /// Where one of them is.
        first: Origin,
        /// Where the other one is.
        second: Origin,
    },
    /// The kind can be fired from Rust only.
    #[error(
        "the kind `{kind}` cannot be fired as JSON; add `json` to its `#[hook_kind(…)]`, which asks serde of its types"
    )]
    #[non_exhaustive]
    NoJson {
        /// The kind.
        kind: &'static str,
    },
    /// The event is not one of the kind.
    #[error("the event is not one of `{kind}`: {error}")]
    #[non_exhaustive]
    Event {
        /// The kind.
        kind: &'static str,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// The subject is not one of the kind.
    #[error("the subject is not one of `{kind}`: {error}")]
    #[non_exhaustive]
    Subject {
        /// The kind.
        kind: &'static str,
        /// What is wrong with it.
        error: serde_json::Error,
    },
    /// What the hooks left cannot be written as JSON, such as a map whose keys are no text.
    #[error("the outcome of `{kind}` cannot be written as JSON: {error}")]
    #[non_exhaustive]
    Outcome {
        /// The kind.
        kind: &'static str,
        /// Why not.
        error: serde_json::Error,
    },
    /// The dispatch gave no outcome.
    #[error(transparent)]
    Dispatch(#[from] DispatchError),
}

impl HookSet {
    /// As [`fire`](Self::fire), for the kind of this name, with event and subject as JSON.
    ///
    /// All built-in kinds can be fired so, and an app's kind whose `#[hook_kind(…)]` says `json`. A kind without a subject
    /// takes null.
    ///
    /// # Errors
    /// [`JsonError`]: no such kind, JSON that is not its event or subject, or what [`fire`](Self::fire) gives.
    ///
    /// ```standalone_crate
    /// # use hooks_core::prelude::*;
    /// use serde_json::json;
    ///
    /// #[hook(id = "no_refunds", kind = before_tool_call, tool = "refund")]
    /// fn no_refunds() -> Permission {
    ///     Permission::deny("a person pays refunds")
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let registry = Registry::discover()?;
    /// let hooks = registry.scope(&AgentDef::new("support").hooks(hooks![no_refunds]), None)?;
    /// let event = json!({"call": {"id": "call_1", "name": "refund", "input": {"cents": 100}}});
    /// let fired = hooks.fire_json("before_tool_call", &HookContext::new(), event, json!({"cents": 100})).await?;
    /// assert_eq!(fired.verdict["permission"], "deny");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn fire_json(
        &self,
        kind: &str,
        cx: &HookContext,
        event: Value,
        subject: Value,
    ) -> Result<JsonFired, JsonError> {
        let mut pool = MessagePool::default();
        let fired = self.fire_json_within(&mut pool, kind, cx, event, subject).await?;
        Ok(JsonFired { subject: fired.subject.map(|subject| pool.whole(subject)), ..fired })
    }

    /// As [`fire_json`](Self::fire_json), where event and subject [refer](MessagePool::refer) to messages of `pool`, and so
    /// does the subject that is returned: for a replay, which fires the same conversation again and again.
    ///
    /// # Errors
    /// As [`fire_json`](Self::fire_json).
    pub async fn fire_json_within(
        &self,
        pool: &mut MessagePool,
        kind: &str,
        cx: &HookContext,
        event: Value,
        subject: Value,
    ) -> Result<JsonFired, JsonError> {
        let kind = by_name(kind)?;
        let fire = Engine::of_kind(kind).and_then(|engine| engine.fire_json);
        fire.ok_or(JsonError::NoJson { kind: kind.name })?(self, cx, pool, event, subject).await
    }
}

fn by_name(name: &str) -> Result<&'static KindDescriptor, JsonError> {
    let kinds = all();
    let mut found = kinds.iter().filter(|kind| kind.name == name);
    match (found.next(), found.next()) {
        (Some(kind), None) => Ok(kind),
        (Some(first), Some(second)) => {
            Err(JsonError::KindNameTwice { name: first.name, first: first.origin, second: second.origin })
        }
        (None, _) => {
            let nearest = nearest(name, kinds.iter().map(|kind| kind.name));
            Err(JsonError::UnknownKind { name: name.to_owned(), nearest })
        }
    }
}

/// Fires a kind that says `json`.
pub(super) fn fire<'a, K: HookKind>(
    hooks: &'a HookSet,
    cx: &'a HookContext,
    pool: &'a mut MessagePool,
    event: Value,
    subject: Value,
) -> BoxFuture<'a, Result<JsonFired, JsonError>> {
    Box::pin(async move {
        let kind = K::NAME;
        let wire = K::WIRE.ok_or(JsonError::NoJson { kind })?();
        let (event, subject) = pool.within(|| ((wire.read_event)(event), (wire.read_subject)(subject)));
        let event = event.map_err(|error| JsonError::Event { kind, error })?;
        let subject = subject.map_err(|error| JsonError::Subject { kind, error })?;
        let fired = hooks.fire(cx, &event, subject).await?;
        let outcome = |error| JsonError::Outcome { kind, error };
        let subject = K::Removal::left(fired.subject);
        let subject = pool.within(|| subject.map(|subject| (wire.write_subject)(&subject)).transpose());
        Ok(JsonFired {
            subject: subject.map_err(outcome)?,
            verdict: (wire.write_verdict)(&fired.verdict).map_err(outcome)?,
            report: fired.report,
        })
    })
}
