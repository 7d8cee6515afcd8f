//! Firing a kind: the subject passes through the chain, failures are isolated, and answers are merged in order.

mod at_once;
mod call;
mod chain;
mod commit;
mod error;
mod log;
mod outcome;
mod pool;
mod readers;
mod span;
mod trace;
mod wait;

use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::sync::Arc;

pub use error::{DispatchError, ErasedSubject};
pub(crate) use pool::{at_once, on_pool};
pub(crate) use span::{hook_span, in_span};
pub(crate) use wait::{sleep, until_cancelled, wait_for};

use crate::context::{HookContext, depth};
use crate::failure::Failure;
use crate::handler::ReadFn;
use crate::id::HookId;
use crate::kind::{FinalSubject, HookKind, Removal};
use crate::plan::{HookSet, Plan, PlanEntry};
use crate::record::Record;
use crate::verdict::Halt;
use at_once::AtOnce;
use call::{FirstEffect, Inputs};
use chain::Chain;
use log::Listeners;

/// The outcome of a dispatch.
#[non_exhaustive]
#[must_use = "it holds what the hooks decided: the subject, the verdict and the halt"]
pub struct Fired<K: HookKind> {
    /// The subject after all hooks; an `Option` if the kind allows removal.
    pub subject: FinalSubject<K>,
    /// The merged verdict.
    pub verdict: K::Verdict,
    /// Halt, failures, removal and record.
    pub report: Report,
}

impl<K: HookKind> Fired<K> {
    /// An outcome with an empty report.
    #[inline]
    fn of(subject: K::Subject, verdict: K::Verdict) -> Self {
        Self { subject: K::Removal::kept(subject, false), verdict, report: Report(None) }
    }
}

/// What a dispatch reports in addition to subject and verdict. It dereferences to [`ReportData`].
///
/// Most dispatches have nothing to report, so it is one pointer wide.
#[derive(Clone, Debug, Default)]
pub struct Report(Option<Box<ReportData>>);

/// The fields of a [`Report`].
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ReportData {
    /// The first halt in plan order, if a hook asked to end the turn.
    pub halt: Option<Halt>,
    /// The hooks that failed, and what `on_failure` did, in plan order.
    pub failures: Vec<Failure>,
    /// The hooks that decided at run time that the event does not concern them: see
    /// [`NotSelected`](crate::hook::NotSelected).
    pub not_selected: Vec<HookId>,
    /// The hook that removed the subject, or whose failure removed it.
    pub removed_by: Option<HookId>,
    /// The record, if the context keeps records.
    pub record: Option<Arc<Record>>,
}

static NOTHING: ReportData =
    ReportData { halt: None, failures: Vec::new(), not_selected: Vec::new(), removed_by: None, record: None };

impl Deref for Report {
    type Target = ReportData;

    fn deref(&self) -> &ReportData {
        self.0.as_deref().unwrap_or(&NOTHING)
    }
}

impl From<ReportData> for Report {
    fn from(data: ReportData) -> Self {
        Self((data != NOTHING).then(|| Box::new(data)))
    }
}

impl<K: HookKind> fmt::Debug for Fired<K>
where
    FinalSubject<K>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fired")
            .field("subject", &self.subject)
            .field("verdict", &self.verdict)
            .field("report", &self.report)
            .finish()
    }
}

impl HookSet {
    /// Runs the hooks of `K` in plan order.
    ///
    /// Async readers of one stage run concurrently, plain functions and writers one after the other. A hook that fails,
    /// panics or misses its deadline leaves no trace in the subject; its `on_failure` decides how the dispatch
    /// continues. Dropping the future drops the hooks that are running.
    ///
    /// # Errors
    /// [`DispatchError`], which returns the subject of the last success: a required hook failed, the turn was
    /// cancelled, an async hook with a deadline had to wait outside a runtime, or dispatches are nested too deeply.
    ///
    /// ```standalone_crate
    /// # use hook_sdk::kinds::*;
    /// # use hook_sdk::prelude::*;
    /// # use hook_sdk::kinds::BeforeToolCall;
    /// # use hook_sdk::data::{ToolCall, ToolInput};
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Refund {
    ///     cents: u64,
    /// }
    ///
    /// #[hook(id = "only_small_refunds", kind = before_tool_call, tool = "refund")]
    /// async fn only_small_refunds(input: &ToolInput) -> Permission {
    ///     match input.read::<Refund>() {
    ///         Ok(refund) if refund.cents <= 5_000 => Permission::Allow,
    ///         Ok(_) => Permission::deny("refunds over 50 need a person"),
    ///         Err(error) => Permission::deny(error),
    ///     }
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let registry = Registry::discover()?;
    /// let hooks = registry.scope(&AgentDef::new("support").hooks(hooks![only_small_refunds]), None)?;
    /// let call = ToolCall::new("call_1", "refund", serde_json::json!({ "cents": 9_900 }));
    /// let input = call.input.clone();
    /// let fired = hooks.fire(&HookContext::new(), &BeforeToolCall::new(call), input).await?;
    /// assert_eq!(fired.verdict.denial().unwrap().reason.as_str(), "refunds over 50 need a person");
    /// # Ok(())
    /// # }
    /// ```
    #[inline]
    pub fn fire<'a, K: HookKind>(
        &'a self,
        cx: &'a HookContext,
        event: &'a K,
        subject: K::Subject,
    ) -> impl Future<Output = Result<Fired<K>, DispatchError>> + Send + 'a {
        match self.entry::<K>() {
            None => AtOnce::Done { value: Some(Fired::of(subject, ().into())) },
            Some(entry) => AtOnce::Running { kind: K::NAME, future: self.run(entry, cx, event, subject) },
        }
    }

    /// Like [`fire`](Self::fire), but without a runtime: every hook of `K` in force must be a plain function.
    ///
    /// # Errors
    /// [`DispatchError::AsyncHook`] if one is not; otherwise the errors of [`fire`](Self::fire).
    #[inline]
    pub fn fire_blocking<K: HookKind>(
        &self,
        cx: &HookContext,
        event: &K,
        subject: K::Subject,
    ) -> Result<Fired<K>, DispatchError> {
        match self.entry::<K>() {
            None => Ok(Fired::of(subject, ().into())),
            Some(entry) => self.fire_entry(entry, cx, event, subject),
        }
    }

    /// The error of [`fire_blocking`](Self::fire_blocking), if `K` has a hook that is not a plain function.
    pub(crate) fn can_fire_blocking<K: HookKind>(&self) -> Result<(), DispatchError> {
        match self.entry::<K>().and_then(PlanEntry::plan::<K>) {
            Some(plan) if !plan.is_sync => Err(error::async_hook(plan, ())),
            _ => Ok(()),
        }
    }

    // A function of its own, so that the check for hooks is inlined into the caller.
    #[inline(never)]
    fn fire_entry<K: HookKind>(
        &self,
        entry: &PlanEntry,
        cx: &HookContext,
        event: &K,
        subject: K::Subject,
    ) -> Result<Fired<K>, DispatchError> {
        let Some(plan) = entry.plan::<K>() else { return Ok(Fired::of(subject, ().into())) };
        if !plan.is_sync {
            return Err(error::async_hook(plan, subject));
        }
        let within = depth::enter(K::NAME);
        if within.depth() > self.parts().depth_limit {
            return Err(error::too_deep::<K>(self.parts().depth_limit, subject));
        }
        self.run_sync(plan, entry, cx, event, subject)
    }

    async fn run<K: HookKind>(
        &self,
        entry: &PlanEntry,
        cx: &HookContext,
        event: &K,
        subject: K::Subject,
    ) -> Result<Fired<K>, DispatchError> {
        let Some(plan) = entry.plan::<K>() else { return Ok(Fired::of(subject, ().into())) };
        if depth::depth() > self.parts().depth_limit {
            return Err(error::too_deep::<K>(self.parts().depth_limit, subject));
        }
        if plan.is_sync {
            return self.run_sync(plan, entry, cx, event, subject);
        }
        // If a hook with its own context fired this dispatch, the other hooks must not see that context's data.
        let outer = cx.without_hook();
        let cx = outer.as_ref().unwrap_or(cx);
        let hook_cxs = plan.hook_cxs(cx);
        let inputs = Inputs { cx, hook_cxs: &hook_cxs, event };
        let listeners = self.listeners(entry);
        let mut chain = Chain::new(plan, inputs, subject, listeners, listeners.are_listening(cx));
        chain.run().await;
        chain.finish(cx)
    }

    // A function of its own, so that a chain that never waits takes no space in the future of `run`.
    #[inline]
    fn run_sync<K: HookKind>(
        &self,
        plan: &Plan<K>,
        entry: &PlanEntry,
        cx: &HookContext,
        event: &K,
        subject: K::Subject,
    ) -> Result<Fired<K>, DispatchError> {
        // If a hook with its own context fired this dispatch, the other hooks must not see that context's data.
        if cx.is_of_hook() || plan.has_hook_cxs {
            return self.run_sync_with_contexts(plan, entry, cx, event, subject);
        }
        let (inputs, listeners) = (Inputs { cx, hook_cxs: &[], event }, self.listeners(entry));
        let is_heard = listeners.are_listening(cx);
        if let Some(lane) = plan.read_lane().filter(|_| !is_heard) {
            return run_readers(plan, lane, inputs, subject);
        }
        let mut chain = Chain::new(plan, inputs, subject, listeners, is_heard);
        chain.run_sync();
        chain.finish(cx)
    }

    // Not part of `run_sync`: most plans have no hooks with their own context.
    #[inline(never)]
    fn run_sync_with_contexts<K: HookKind>(
        &self,
        plan: &Plan<K>,
        entry: &PlanEntry,
        cx: &HookContext,
        event: &K,
        subject: K::Subject,
    ) -> Result<Fired<K>, DispatchError> {
        let outer = cx.without_hook();
        let cx = outer.as_ref().unwrap_or(cx);
        let hook_cxs = plan.hook_cxs(cx);
        let inputs = Inputs { cx, hook_cxs: &hook_cxs, event };
        let listeners = self.listeners(entry);
        let mut chain = Chain::new(plan, inputs, subject, listeners, listeners.are_listening(cx));
        chain.run_sync();
        chain.finish(cx)
    }

    #[inline]
    fn listeners<'a>(&'a self, entry: &'a PlanEntry) -> Listeners<'a> {
        Listeners { observers: &self.parts().observers, disabled: &entry.disabled }
    }
}

/// Runs a plan that is one lane of readers, without listeners. If no hook has an effect, there is nothing to merge or
/// commit, and the dispatch needs no chain.
#[inline(never)]
fn run_readers<K: HookKind>(
    plan: &Plan<K>,
    lane: &[ReadFn<K>],
    inputs: Inputs<'_, K>,
    subject: K::Subject,
) -> Result<Fired<K>, DispatchError> {
    match call::read_lane(lane, inputs, &subject) {
        None => Ok(Fired::of(subject, ().into())),
        Some(effect) => finish_readers(plan, lane, inputs, subject, effect),
    }
}

#[inline(never)]
fn finish_readers<K: HookKind>(
    plan: &Plan<K>,
    lane: &[ReadFn<K>],
    inputs: Inputs<'_, K>,
    subject: K::Subject,
    effect: FirstEffect<K>,
) -> Result<Fired<K>, DispatchError> {
    let mut chain = Chain::new(plan, inputs, subject, Listeners::default(), false);
    let _ended = chain.read_lane(0, lane, Some(effect));
    chain.finish(inputs.cx)
}
