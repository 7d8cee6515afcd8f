//! Fires a kind by name with event and subject as JSON, for replay, workers and other programs.

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

/// The typed dispatch of a kind.
pub(crate) type FireJson = for<'a> fn(
    &'a HookSet,
    &'a HookContext,
    &'a mut MessagePool,
    Value,
    Value,
) -> BoxFuture<'a, Result<JsonFired, JsonError>>;

/// The outcome of a dispatch as JSON.
#[derive(Clone, Debug)]
#[must_use = "it contains the subject and the verdict of the dispatch"]
#[non_exhaustive]
pub struct JsonFired {
    /// The subject after all hooks; `None` if a hook removed it.
    pub subject: Option<Value>,
    /// The merged verdict; null if the kind has none.
    pub verdict: Value,
    /// Halt, failures, removal and record.
    pub report: Report,
}

/// Why a kind could not be fired as JSON.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// No linked kind has this name.
    #[error("there is no kind `{name}`{}", did_you_mean(.nearest))]
    #[non_exhaustive]
    UnknownKind {
        /// The name that was passed.
        name: String,
        /// Similar names, nearest first.
        nearest: Vec<&'static str>,
    },
    /// Two kinds have this name, so it is ambiguous.
    #[error("two kinds are named `{name}`: {first} and {second}; rename one of them")]
    #[non_exhaustive]
    KindNameTwice {
        /// The name of both kinds.
        name: &'static str,
        /// The position of the first kind in the source.
        first: Origin,
        /// The position of the second kind in the source.
        second: Origin,
    },
    /// The kind can only be fired from Rust.
    #[error(
        "the kind `{kind}` cannot be fired as JSON; add `json` to its `#[hook_kind(…)]`, which requires its types to implement serde's traits"
    )]
    #[non_exhaustive]
    NoJson {
        /// The kind that was fired.
        kind: &'static str,
    },
    /// The event cannot be deserialized as the kind's event.
    #[error("the event of `{kind}` is invalid: {error}")]
    #[non_exhaustive]
    Event {
        /// The kind that was fired.
        kind: &'static str,
        /// The error of serde.
        error: serde_json::Error,
    },
    /// The subject cannot be deserialized as the kind's subject.
    #[error("the subject of `{kind}` is invalid: {error}")]
    #[non_exhaustive]
    Subject {
        /// The kind that was fired.
        kind: &'static str,
        /// The error of serde.
        error: serde_json::Error,
    },
    /// The outcome cannot be serialized as JSON, for example because a map has keys that are not strings.
    #[error("the outcome of `{kind}` cannot be serialized as JSON: {error}")]
    #[non_exhaustive]
    Outcome {
        /// The kind that was fired.
        kind: &'static str,
        /// The error of serde.
        error: serde_json::Error,
    },
    /// The dispatch has no outcome.
    #[error(transparent)]
    Dispatch(#[from] DispatchError),
}

impl HookSet {
    /// Like [`fire`](Self::fire), but takes the kind by name, and event and subject as JSON.
    ///
    /// This works for all built-in kinds, and for an app's kind whose `#[hook_kind(…)]` contains `json`. If the kind
    /// has no subject, pass null.
    ///
    /// # Errors
    /// [`JsonError`] if the kind does not exist, the JSON is not a valid event or subject, or the dispatch has no
    /// outcome.
    ///
    /// ```standalone_crate
    /// # use hook_sdk::prelude::*;
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
    #[inline]
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

    /// Like [`fire_json`](Self::fire_json), but event and subject may contain [references](MessagePool::refer) to
    /// messages of `pool`, and so does the returned subject. A replay uses this to fire the same conversation many
    /// times.
    ///
    /// # Errors
    /// The same as those of [`fire_json`](Self::fire_json).
    #[inline]
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

/// Fires a kind that has `json`.
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
