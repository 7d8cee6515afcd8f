use std::sync::Arc;

use serde_json::Value;

use crate::context::{HookContext, HookContextBuilder};
use crate::hook::Hook;
use crate::id::HookId;
use crate::kind::HookKind;
use crate::plan::HookSet;
use crate::registry::Registry;
use crate::scope::{AppDef, HookRef, HookUse};
use crate::tables::conversions;

use super::detached::TrialRuns;
use super::{TrialError, TrialOutcome};

/// A hook for a trial: an annotated function, or a value.
#[derive(Debug)]
pub struct TrialHook(HookSource);

#[derive(Debug)]
enum HookSource {
    Function(HookRef),
    Value(Box<Hook>),
}

conversions!(TrialHook {
    HookRef => |function| Self(HookSource::Function(function)),
    Hook => |hook| Self(HookSource::Value(Box::new(hook))),
});

/// A trial: hooks, their parameters and the context in which they run.
///
/// ```
/// use hook_sdk::kinds::*;
/// use hook_sdk::prelude::*;
/// use hook_sdk::testing::Trial;
/// use serde::Deserialize;
///
/// struct Limit(u64);
///
/// #[derive(Deserialize)]
/// struct Refund {
///     cents: u64,
/// }
///
/// #[hook(id = "limit_refunds", kind = before_tool_call, tool = "refund")]
/// fn limit_refunds(cx: &HookContext, input: &ToolInput) -> Result<Permission, MissingState> {
///     let limit = cx.state::<Limit>()?.0;
///     Ok(match input.read::<Refund>() {
///         Ok(refund) if refund.cents <= limit => Permission::NoOpinion,
///         Ok(_) => Permission::deny("too much"),
///         Err(error) => Permission::deny(error),
///     })
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let call = ToolCall::new("call_1", "refund", serde_json::json!({ "cents": 9_900 }));
/// let input = call.input.clone();
/// let trial = Trial::of(hooks![limit_refunds]).context(|cx| cx.agent("support").state(Limit(5_000)));
/// trial.run_blocking(&BeforeToolCall::new(call.clone()), input)?.expect_denied("too much");
///
/// // The guard denies what it cannot parse.
/// for hostile in [r#"{"cents": "300"}"#, r#"{"cents": 300.0}"#, r#"{"cents": -5}"#, "{}", "[300]", "300 cents"] {
///     let trial = Trial::of(hooks![limit_refunds]).context(|cx| cx.state(Limit(5_000)));
///     trial.run_blocking(&BeforeToolCall::new(call.clone()), ToolInput::parse(hostile))?.expect_denied("expected");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "a trial is run with `run` or `run_blocking`"]
pub struct Trial {
    hooks: Vec<TrialHook>,
    parameters: Vec<(String, Value)>,
    context: HookContextBuilder,
}

impl Trial {
    /// Creates a trial of `hooks`: a `hooks![…]`, or values.
    pub fn of(hooks: impl IntoIterator<Item = impl Into<TrialHook>>) -> Self {
        Self {
            hooks: hooks.into_iter().map(Into::into).collect(),
            parameters: Vec::new(),
            context: HookContext::builder(),
        }
    }

    /// Adds more hooks, for example values in addition to functions.
    pub fn and(mut self, hooks: impl IntoIterator<Item = impl Into<TrialHook>>) -> Self {
        self.hooks.extend(hooks.into_iter().map(Into::into));
        self
    }

    /// Passes parameters to the hook `id`, as `with` in a list does.
    ///
    /// ```
    /// use hook_sdk::data::Role;
    /// use hook_sdk::kinds::*;
    /// use hook_sdk::prelude::*;
    /// use hook_sdk::testing::Trial;
    /// use serde_json::json;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Limit {
    ///     chars: usize,
    /// }
    ///
    /// #[hook(id = "shorten", kind = before_create_message)]
    /// fn shorten(limit: &With<Limit>, row: &mut Message) {
    ///     row.rewrite_text(|text| Some(text.chars().take(limit.chars).collect()));
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let trial = Trial::of(hooks![shorten]).with("shorten", json!({ "chars": 2 }));
    /// let ran = trial.run_blocking(&BeforeCreateMessage::new(), Message::new(Role::User, "hello"))?;
    /// assert_eq!(ran.subject.text(), "he");
    /// # Ok(())
    /// # }
    /// ```
    pub fn with(mut self, id: &str, parameters: Value) -> Self {
        self.parameters.push((id.to_owned(), parameters));
        self
    }

    /// Configures the context: state, ids, whether a person is present, a cancellation token.
    pub fn context(mut self, say: impl FnOnce(HookContextBuilder) -> HookContextBuilder) -> Self {
        self.context = say(self.context);
        self
    }

    /// Fires `event` and waits for detached and background hooks to end. Jobs are serialized as JSON, parsed again, and
    /// run once each in the trial's context.
    ///
    /// # Errors
    /// [`TrialError`] if the hooks cannot be in one scope, if one of them does not run at `K`, or if the dispatch has
    /// no outcome.
    pub async fn run<K: HookKind>(self, event: &K, subject: K::Subject) -> Result<TrialOutcome<K>, TrialError> {
        let Ready { registry, set, ids, cx, runs } = self.ready::<K>()?;
        let fired = set.fire(&cx, event, subject).await?;
        runs.finish(&registry, &cx).await?;
        Ok(TrialOutcome::new(ids, fired, runs.ends()))
    }

    /// Like [`run`](Self::run), but without a runtime: every hook must be a plain function. Jobs are queued but not
    /// run, and a detached hook fails to start.
    ///
    /// # Errors
    /// The same as those of [`run`](Self::run).
    pub fn run_blocking<K: HookKind>(self, event: &K, subject: K::Subject) -> Result<TrialOutcome<K>, TrialError> {
        let Ready { set, ids, cx, runs, .. } = self.ready::<K>()?;
        let fired = set.fire_blocking(&cx, event, subject)?;
        Ok(TrialOutcome::new(ids, fired, runs.ends()))
    }

    fn ready<K: HookKind>(self) -> Result<Ready, TrialError> {
        let mut registry = Registry::empty();
        let mut list = Vec::new();
        for TrialHook(hook) in self.hooks {
            match hook {
                HookSource::Function(function) => {
                    registry = registry.with([function])?;
                    list.push(HookUse::from(function));
                }
                HookSource::Value(hook) => {
                    list.push(HookUse::id(hook.id.as_str()));
                    registry.register(*hook)?;
                }
            }
        }
        let tried = registry.hooks();
        if tried.is_empty() {
            let text = format!("a trial of `{}` without hooks tests nothing; name some: `hooks![…]`", K::NAME);
            return Err(TrialError::TestsNothing(text));
        }
        if let Some(other) = tried.iter().find(|hook| hook.kinds().all(|kind| kind != K::NAME)) {
            let kinds = other.kinds().collect::<Vec<_>>().join(", ");
            return Err(TrialError::TestsNothing(format!(
                "{other} runs at `{kinds}`, but this trial fires `{}`; fire its kind, or remove it",
                K::NAME
            )));
        }
        let runs = Arc::new(TrialRuns::default());
        registry.set_background(Arc::clone(&runs));
        registry.observe(Arc::clone(&runs));
        for (id, parameters) in self.parameters {
            let tried = list.iter().position(|entry| registry.id_of(entry).is_some_and(|known| known.as_str() == id));
            // A hook that is not part of the trial is reported like an unknown entry of a list.
            let entry = tried.map_or_else(|| HookUse::id(&id), |at| list.remove(at));
            list.insert(tried.unwrap_or(list.len()), entry.with(parameters));
        }
        // The app's list, which kinds outside a turn read too.
        registry.set_app(AppDef::new("trial").hooks(list));
        let set = registry.trial_scope()?;
        let ids = tried.iter().map(|hook| hook.id.clone()).collect();
        let cx = self.context.keep_records(true).build();
        Ok(Ready { registry, set, ids, cx, runs })
    }
}

/// A trial that is ready to fire.
struct Ready {
    registry: Registry,
    set: HookSet,
    ids: Vec<HookId>,
    cx: HookContext,
    runs: Arc<TrialRuns>,
}
