//! The ordered, immutable plan of one scope.

mod filter;
mod selection;
mod outline;
mod cycles;
mod order;
mod segments;
mod set;
mod shown;

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

pub(crate) use filter::{Filter, patterns};
pub(crate) use order::order;
pub use outline::PlannedHook;
pub(crate) use selection::{Disabled, Selection, Selections};
pub use set::HookSet;
pub(crate) use set::{PlanEntry, SetParts};

use crate::context::{HookContext, PerHook};
use crate::failure::OnFailure;
use crate::handler::{Form, Handler, ReadAsyncFn, ReadFn, ReplaceFn, WriteFn};
use crate::hook::CloneEvent;
use crate::id::HookId;
use crate::job::Job;
use crate::kind::HookKind;
use crate::options::{HookMode, OnReplay, Visibility};
use crate::record::Status;

/// The ordered hooks of one kind, ready to run.
pub(crate) struct Plan<K: HookKind> {
    pub(crate) steps: Box<[Step<K>]>,
    pub(crate) segments: Box<[Segment<K>]>,
    /// Whether every hook is a plain function, so that nothing waits.
    pub(crate) is_sync: bool,
    /// Whether a hook has a context of its own.
    pub(crate) has_hook_cxs: bool,
}

/// One hook of a plan.
pub(crate) struct Step<K: HookKind> {
    pub(crate) id: HookId,
    pub(crate) handler: Handler<K>,
    pub(crate) filters: Box<[Filter<K>]>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) on_failure: OnFailure,
    pub(crate) stage: usize,
    pub(crate) visibility: Visibility,
    /// A number that changes with the hook's options, filters and parameters; 0 if there are no listeners.
    pub(crate) revision: u64,
    /// Rarely used properties.
    pub(crate) extras: Option<Box<Extras<K>>>,
}

/// Properties of a hook beyond its function. A hook with any of them is not part of a lane.
pub(crate) struct Extras<K: HookKind> {
    /// The part of the context that is only for this hook.
    pub(crate) hook_cx: Option<Arc<PerHook>>,
    /// The hook's fallback.
    pub(crate) fallback: Option<Handler<K>>,
    /// Clones the event for a plain function that runs on the pool of blocking threads.
    pub(crate) blocking: Option<CloneEvent<K>>,
    /// Launches a detached or background hook.
    pub(crate) launch: Option<Box<dyn Launch<K>>>,
    /// Whether the hook is in shadow mode.
    pub(crate) shadow: bool,
    /// Whether a replay skips the hook.
    pub(crate) skips_replay: bool,
}

/// Launches a detached or background hook at its place in the plan.
pub(crate) trait Launch<K: HookKind>: Send + Sync {
    /// `shared` is the event for all detached hooks of the dispatch.
    fn launch(
        &self,
        cx: &HookContext,
        event: &K,
        shared: &mut Option<Arc<K>>,
        subject: &K::Subject,
    ) -> Result<Status, LaunchError>;

    /// Returns the job that a launch would queue. `None` for a detached hook, or if the job cannot be serialized; the
    /// launch reports that.
    fn job(&self, cx: &crate::context::HookContext, event: &K, subject: &K::Subject) -> Option<Job>;
}

/// Why a hook was not launched.
pub(crate) enum LaunchError {
    /// A limit was reached.
    Dropped(String),
    /// The launch failed.
    Failed(String),
}

/// A range of steps that run in the same way.
pub(crate) struct Segment<K: HookKind> {
    pub(crate) steps: Range<usize>,
    pub(crate) execution: Execution<K>,
}

/// How a segment is run.
pub(crate) enum Execution<K: HookKind> {
    /// Consecutive annotated functions that read, without filters or extras: a loop over their pointers.
    ReadLane(Vec<ReadFn<K>>),
    /// Like `ReadLane`, for functions that change the subject in place.
    WriteLane(Vec<WriteFn<K>>),
    /// Like `ReadLane`, for functions that take the subject.
    ReplaceLane(Vec<ReplaceFn<K>>),
    /// Step by step, one after the other.
    Sequential,
    /// A stage of readers, some of which may wait. Contains their pointers if all are annotated async functions without
    /// filters or extras.
    Concurrent(Option<Vec<ReadAsyncFn<K>>>),
}

impl<K: HookKind> Step<K> {
    /// Whether the hook runs for this event.
    #[inline]
    pub(crate) fn runs(&self, event: &K, cx: &HookContext) -> bool {
        self.matches(event) && !self.skips_replay(cx)
    }

    /// Whether the hook is skipped because the dispatch is a replay.
    #[inline]
    pub(crate) fn skips_replay(&self, cx: &HookContext) -> bool {
        self.extras.as_ref().is_some_and(|extras| extras.skips_replay) && cx.is_replay()
    }

    #[inline]
    pub(crate) fn matches(&self, event: &K) -> bool {
        self.filters.is_empty() || self.filters.iter().all(|filter| filter.matches(event))
    }

    /// The hook's fallback.
    pub(crate) fn fallback(&self) -> Option<&Handler<K>> {
        self.extras.as_ref()?.fallback.as_ref()
    }

    /// The function that clones the event, if the hook is a plain function that runs on the pool of blocking threads.
    pub(crate) fn blocking(&self) -> Option<CloneEvent<K>> {
        self.extras.as_ref()?.blocking
    }

    /// Whether a dispatch must await the hook.
    pub(crate) fn is_async(&self) -> bool {
        self.blocking().is_some() || Form::of(&self.handler).is_async
    }

    /// Whether the hook is in shadow mode.
    pub(crate) fn is_shadow(&self) -> bool {
        self.extras.as_ref().is_some_and(|extras| extras.shadow)
    }

    /// Whether the hook is a plain function whose pointer is all that a dispatch needs.
    pub(crate) fn is_plain(&self) -> bool {
        self.filters.is_empty() && self.extras.is_none()
    }
}

impl<K: HookKind> Plan<K> {
    /// Builds a plan from its steps, which are in order. `launch` makes the launcher of a detached or background hook.
    pub(crate) fn build(
        hooks: &[PlannedHook<'_>],
        observed: bool,
        launch: impl Fn(&PlannedHook<'_>, &Handler<K>) -> Option<Box<dyn Launch<K>>>,
    ) -> Self {
        let steps: Box<[Step<K>]> = hooks.iter().filter_map(|hook| step(hook, observed, &launch)).collect();
        let has_cx = |step: &Step<K>| step.extras.as_ref().is_some_and(|extras| extras.hook_cx.is_some());
        Self {
            segments: segments::segments(&steps).into(),
            is_sync: hooks.iter().all(|hook| !hook.binding.is_async()),
            has_hook_cxs: steps.iter().any(has_cx),
            steps,
        }
    }

    /// The functions of a plan that is one lane of readers.
    #[inline]
    pub(crate) fn read_lane(&self) -> Option<&[ReadFn<K>]> {
        match &*self.segments {
            [Segment { execution: Execution::ReadLane(lane), .. }] => Some(lane),
            _ => None,
        }
    }

    /// The contexts of hooks that have one of their own, by step index; empty if there are none.
    pub(crate) fn hook_cxs(&self, cx: &HookContext) -> Box<[Option<HookContext>]> {
        if !self.has_hook_cxs {
            return Box::default();
        }
        let bound = |step: &Step<K>| step.extras.as_ref()?.hook_cx.as_ref().map(|hook_cx| cx.bound(hook_cx));
        self.steps.iter().map(bound).collect()
    }
}

/// Returns `None` only for a binding of another kind, which no set contains.
fn step<K: HookKind>(
    planned: &PlannedHook<'_>,
    observed: bool,
    launch: impl Fn(&PlannedHook<'_>, &Handler<K>) -> Option<Box<dyn Launch<K>>>,
) -> Option<Step<K>> {
    let (hook, binding) = (&planned.selection.hook, planned.binding);
    let options = &binding.options;
    let handler = binding.handler::<K>(&hook.id)?;
    let extras = Extras {
        hook_cx: planned.selection.hook_cx.clone(),
        fallback: binding.fallback::<K>(&hook.id),
        blocking: binding.clone_event::<K>().filter(|_| options.blocking && !binding.form.detached),
        launch: launch(planned, &handler),
        shadow: options.mode == HookMode::Shadow,
        skips_replay: options.on_replay == OnReplay::Skip,
    };
    Some(Step {
        id: hook.id.clone(),
        extras: extras.any().then(|| Box::new(extras)),
        handler,
        filters: Filter::of(binding),
        timeout: options.timeout.duration(),
        on_failure: binding.policy(),
        stage: planned.stage,
        visibility: options.visibility,
        revision: if observed { revision(planned) } else { 0 },
    })
}

/// A hash of everything that affects the hook except code without a version. Equal in every process.
fn revision(planned: &PlannedHook<'_>) -> u64 {
    let given = planned.selection.given.as_ref().map(Value::to_string).unwrap_or_default();
    let version = &planned.selection.hook.version;
    let text = format!("{:?} {:?} {given}{version}", planned.binding.options, planned.binding.filters);
    // FNV-1a: a hasher of the standard library may change with its version.
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

impl<K: HookKind> Extras<K> {
    fn any(&self) -> bool {
        let Self { hook_cx, fallback, blocking, launch, shadow, skips_replay } = self;
        *shadow || *skips_replay || hook_cx.is_some() || fallback.is_some() || blocking.is_some() || launch.is_some()
    }
}
