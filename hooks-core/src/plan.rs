//! The ordered, immutable plan of one scope.

mod cycles;
pub(crate) mod order;
mod segments;
mod set;
mod unawaited;

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use wildmatch::WildMatch;

pub(crate) use order::Candidate;
pub use set::HookSet;
pub(crate) use set::{Entry, KindPlan, Off};

use crate::dispatch::Unawaited;
use crate::hook::{
    Binding, Handler, HookId, LendFn, OnFailure, Only, OwnFn, ReadAsyncFn, ReadFn, StepParts, Visibility,
};
use crate::kind::HookKind;

/// The hooks of one kind in their order, ready to run.
pub(crate) struct Plan<K: HookKind> {
    pub(crate) steps: Box<[Step<K>]>,
    pub(crate) segments: Box<[Segment<K>]>,
    /// Whether every hook is a plain function, so that nothing ever waits.
    pub(crate) is_sync: bool,
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
    /// Whether it is a plain function that says `blocking`.
    pub(crate) blocking: bool,
    /// There where nobody waits for it.
    pub(crate) unawaited: Option<Box<Unawaited<K>>>,
}

/// A part of a plan that is run in one way.
pub(crate) struct Segment<K: HookKind> {
    pub(crate) steps: Range<usize>,
    pub(crate) way: Way<K>,
}

/// How a segment is run.
pub(crate) enum Way<K: HookKind> {
    /// Annotated functions that read, have no filter, and come one after the other: nothing but their pointers is looked
    /// at.
    ReadLane(Vec<ReadFn<K>>),
    /// As `ReadLane`, for functions that change the subject in place.
    LendLane(Vec<LendFn<K>>),
    /// As `ReadLane`, for functions that take the subject.
    OwnLane(Vec<OwnFn<K>>),
    /// One after the other, step by step.
    OneByOne,
    /// A stage of readers of which some may wait: run together. Their pointers, where all are annotated async functions
    /// without a filter.
    Together(Option<Vec<ReadAsyncFn<K>>>),
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
    #[inline]
    pub(crate) fn matches(&self, event: &K) -> bool {
        self.filters.is_empty() || self.filters.iter().all(|filter| filter.matches(event))
    }
}

impl<K: HookKind> Plan<K> {
    pub(crate) fn build(parts: &[StepParts<'_>]) -> Self {
        let steps: Box<[Step<K>]> = parts.iter().filter_map(step).collect();
        Self {
            segments: segments::segments(&steps).into(),
            is_sync: parts.iter().all(|part| !part.binding.form.is_async),
            steps,
        }
    }
}

impl<K: HookKind> fmt::Debug for Plan<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.steps.iter().map(|step| &step.id)).finish()
    }
}

/// `None` only for a binding of another kind, which no set holds.
fn step<K: HookKind>(part: &StepParts<'_>) -> Option<Step<K>> {
    let options = &part.hook.options;
    let handler = part.binding.handler::<K>()?;
    let bound = |handler: &Handler<K>| {
        let bound = part.own.as_ref().map_or_else(|| handler.clone(), |own| handler.bound(own));
        options.capabilities.map_or_else(|| bound.clone(), |held| bound.limited(held, &part.hook.id))
    };
    let timeout = options.timeout.duration();
    let handler = match part.binding.fallback::<K>() {
        Some((fallback, join)) => join(bound(handler), bound(fallback), timeout),
        None => bound(handler),
    };
    Some(Step {
        id: part.hook.id.clone(),
        unawaited: Unawaited::of(part, &handler),
        handler,
        filters: filters::<K>(part.binding),
        // Each of the two has its own deadline. The step's never comes; that there is one tells a dispatch that has no timer.
        timeout: if part.binding.has_fallback() { timeout.map(|_| Duration::MAX) } else { timeout },
        on_failure: part.binding.policy(options),
        stage: part.stage,
        visibility: options.visibility,
        blocking: options.blocking,
    })
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
