//! The ordered, immutable plan of one scope.

mod constraints;
mod cycles;
pub(crate) mod order;
mod segments;
mod outline;
mod set;
mod shown;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use wildmatch::WildMatch;

pub(crate) use order::Candidate;
pub(crate) use outline::Disabled;
pub use outline::PlannedHook;
pub use set::HookSet;
pub(crate) use set::{KindPlan, PlanEntry, SetParts};

use crate::context::{HookContext, PerHook};
use crate::failure::OnFailure;
use crate::handler::Form;
use crate::handler::{Handler, LendFn, OwnFn, ReadAsyncFn, ReadFn};
use crate::hook::{Binding, Hook, Only, OwnEvent};
use crate::id::HookId;
use crate::job::Job;
use crate::kind::HookKind;
use crate::options::{HookMode, OnReplay, Visibility};
use crate::record::Status;
use crate::verdict::Capabilities;

/// The hooks of one kind in their order, ready to run.
pub(crate) struct Plan<K: HookKind> {
    pub(crate) steps: Box<[Step<K>]>,
    pub(crate) segments: Box<[Segment<K>]>,
    /// Whether every hook is a plain function, so that nothing ever waits.
    pub(crate) is_sync: bool,
    /// Whether a hook has a context of its own.
    pub(crate) has_own_contexts: bool,
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
    /// A number that changes with its options, its filters and its parameters; 0 where nobody listens.
    pub(crate) revision: u64,
    /// What most hooks have none of.
    pub(crate) extras: Option<Box<Extras<K>>>,
}

/// What a hook has beyond its function. It keeps the hook out of the lanes.
pub(crate) struct Extras<K: HookKind> {
    /// What its context holds for it alone.
    pub(crate) own: Option<Arc<PerHook>>,
    /// What it may contribute, where that is less than its kind offers.
    pub(crate) capabilities: Option<Capabilities>,
    /// What answers where the hook failed.
    pub(crate) fallback: Option<Handler<K>>,
    /// Runs the plain function on the pool of threads for code that computes for long, with an event of its own.
    pub(crate) blocking: Option<OwnEvent<K>>,
    /// Starts the hook, where no dispatch waits for it.
    pub(crate) launch: Option<Box<dyn Launch<K>>>,
    /// Whether its answers do not count.
    pub(crate) shadow: bool,
    /// Whether a replay leaves it out.
    pub(crate) skips_replay: bool,
}

/// Starts a hook that no dispatch waits for, at its place in the plan.
pub(crate) trait Launch<K: HookKind>: Send + Sync {
    /// `shared` is the event that all detached hooks of the dispatch have.
    fn launch(
        &self,
        cx: &HookContext,
        event: &K,
        shared: &mut Option<Arc<K>>,
        subject: &K::Subject,
    ) -> Result<Status, NotLaunched>;

    /// The job that a launch would queue; `None` for a detached run, and where it cannot be written, which a launch reports.
    fn job(&self, cx: &crate::context::HookContext, event: &K, subject: &K::Subject) -> Option<Job>;
}

/// Why a hook was not started.
pub(crate) enum NotLaunched {
    /// There is no room for it.
    Dropped(String),
    /// It could not be started.
    Failed(String),
}

/// One step of a plan before it has its kind's type.
pub(crate) struct StepParts<'a> {
    pub(crate) hook: &'a Hook,
    pub(crate) binding: &'a Binding,
    pub(crate) stage: usize,
    /// What its context holds for it alone.
    pub(crate) own: Option<Arc<PerHook>>,
    /// What the operator's overrides changed of it.
    pub(crate) overridden: Option<&'a str>,
    /// The parameters that a list gives it, as the list has them.
    pub(crate) given: Option<&'a Value>,
    /// Whether somebody listens to the dispatches of the set.
    pub(crate) observed: bool,
}

/// A part of a plan that is run in one way.
pub(crate) struct Segment<K: HookKind> {
    pub(crate) steps: Range<usize>,
    pub(crate) execution: Execution<K>,
}

/// How a segment is run.
pub(crate) enum Execution<K: HookKind> {
    /// Annotated functions that read, have neither filter nor extras, and follow each other: only their pointers are read.
    ReadLane(Vec<ReadFn<K>>),
    /// As `ReadLane`, for functions that change the subject in place.
    LendLane(Vec<LendFn<K>>),
    /// As `ReadLane`, for functions that take the subject.
    OwnLane(Vec<OwnFn<K>>),
    /// One after the other, step by step.
    Sequential,
    /// A stage of readers of which some may wait. Their pointers, where all are annotated async functions without filter and
    /// extras.
    Concurrent(Option<Vec<ReadAsyncFn<K>>>),
}

/// A list of patterns over one field of the event: `fs_*|Bash`.
pub(crate) struct Filter<K> {
    field: fn(&K) -> &str,
    patterns: Box<[WildMatch]>,
}

impl<K: HookKind> Filter<K> {
    fn matches(&self, event: &K) -> bool {
        let value = (self.field)(event);
        self.patterns.iter().any(|pattern| pattern.matches(value))
    }
}

impl<K: HookKind> Step<K> {
    /// Whether it runs for this event.
    #[inline]
    pub(crate) fn runs(&self, event: &K, cx: &HookContext) -> bool {
        self.matches(event) && !self.skips_replay(cx)
    }

    /// Whether it is left out because the dispatch is a replay.
    #[inline]
    pub(crate) fn skips_replay(&self, cx: &HookContext) -> bool {
        self.extras.as_ref().is_some_and(|extras| extras.skips_replay) && cx.is_replay()
    }

    #[inline]
    pub(crate) fn matches(&self, event: &K) -> bool {
        self.filters.is_empty() || self.filters.iter().all(|filter| filter.matches(event))
    }

    /// What answers where the hook failed.
    pub(crate) fn fallback(&self) -> Option<&Handler<K>> {
        self.extras.as_ref()?.fallback.as_ref()
    }

    /// Gives the hook an event of its own, where its plain function runs on the pool of threads.
    pub(crate) fn blocking(&self) -> Option<OwnEvent<K>> {
        self.extras.as_ref()?.blocking
    }

    /// Whether a dispatch has to be awaited for the hook.
    pub(crate) fn is_async(&self) -> bool {
        self.blocking().is_some() || Form::of(&self.handler).is_async
    }

    /// Whether its answers do not count.
    pub(crate) fn is_shadow(&self) -> bool {
        self.extras.as_ref().is_some_and(|extras| extras.shadow)
    }

    /// Whether it is a plain function whose pointer is all that a dispatch needs.
    pub(crate) fn is_plain(&self) -> bool {
        self.filters.is_empty() && self.extras.is_none()
    }
}

impl<K: HookKind> Plan<K> {
    /// Makes the plan of `parts`, which are in their order. `launch` makes what starts a hook that no dispatch waits for.
    pub(crate) fn build(
        parts: &[StepParts<'_>],
        launch: impl Fn(&StepParts<'_>, &Handler<K>) -> Option<Box<dyn Launch<K>>>,
    ) -> Self {
        let steps: Box<[Step<K>]> = parts.iter().filter_map(|part| step(part, &launch)).collect();
        let has_own = |step: &Step<K>| step.extras.as_ref().is_some_and(|extras| extras.own.is_some());
        Self {
            segments: segments::segments(&steps).into(),
            is_sync: parts.iter().all(|part| !part.binding.is_async(&part.hook.options)),
            has_own_contexts: steps.iter().any(has_own),
            steps,
        }
    }

    /// The contexts of the hooks that have one of their own, by the index of the step; empty where none has.
    pub(crate) fn own_contexts(&self, cx: &HookContext) -> OwnContexts {
        if !self.has_own_contexts {
            return OwnContexts::default();
        }
        let own = |step: &Step<K>| step.extras.as_ref()?.own.as_ref().map(|own| cx.bound(own));
        self.steps.iter().map(own).collect()
    }
}

/// See [`Plan::own_contexts`].
pub(crate) type OwnContexts = Box<[Option<HookContext>]>;

impl<K: HookKind> fmt::Debug for Plan<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.steps.iter().map(|step| &step.id)).finish()
    }
}

/// `None` only for a binding of another kind, which no set holds.
fn step<K: HookKind>(
    part: &StepParts<'_>,
    launch: impl Fn(&StepParts<'_>, &Handler<K>) -> Option<Box<dyn Launch<K>>>,
) -> Option<Step<K>> {
    let (options, binding) = (&part.hook.options, part.binding);
    let handler = binding.handler::<K>()?.clone();
    let extras = Extras {
        own: part.own.clone(),
        capabilities: options.capabilities,
        fallback: binding.fallback::<K>().cloned(),
        blocking: binding.own_event::<K>().filter(|_| options.blocking && !binding.form.detached),
        launch: launch(part, &handler),
        shadow: options.mode == HookMode::Shadow,
        skips_replay: options.on_replay == OnReplay::Skip,
    };
    Some(Step {
        id: part.hook.id.clone(),
        extras: extras.any().then(|| Box::new(extras)),
        handler,
        filters: filters::<K>(binding),
        timeout: options.timeout.duration(),
        on_failure: binding.policy(options),
        stage: part.stage,
        visibility: options.visibility,
        revision: if part.observed { revision(part) } else { 0 },
    })
}

/// The same number as long as nothing changes of the hook but its code, in every process.
fn revision(part: &StepParts<'_>) -> u64 {
    let given = part.given.map(Value::to_string).unwrap_or_default();
    let text = format!("{:?} {:?} {given}", part.hook.options, part.binding.filters);
    // FNV-1a: a hasher of the standard library may change with its version.
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

impl<K: HookKind> Extras<K> {
    fn any(&self) -> bool {
        let Self { own, capabilities, fallback, blocking, launch, shadow, skips_replay } = self;
        *shadow
            || *skips_replay
            || own.is_some()
            || capabilities.is_some()
            || fallback.is_some()
            || blocking.is_some()
            || launch.is_some()
    }
}

fn filters<K: HookKind>(binding: &Binding) -> Box<[Filter<K>]> {
    let filter = |only: &Only| {
        K::FIELDS.get(*only.field.as_ref().ok()?).map(|field| Filter {
            field: field.get,
            patterns: only.patterns.split('|').map(|pattern| WildMatch::new(pattern.trim())).collect(),
        })
    };
    binding.filters.iter().filter_map(filter).collect()
}
