//! A set of plans, one per kind that has hooks.

use std::any::Any;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use super::outline::{Disabled, Outline, line};
use super::{Plan, Step};
use crate::context::HookContext;
use crate::diagnostics::Finding;
use crate::diagnostics::ListOwner;
use crate::id::HookId;
use crate::job::Job;
use crate::kind::HookKind;
use crate::options::Hold;
use crate::panics::catch;
use crate::plan::StepParts;
use crate::record::Observer;

/// The hooks in force in one scope: ordered, immutable, cheap to clone.
///
/// `println!("{set}")` shows the plan: order, stages, who writes, what was left out and why.
#[derive(Clone)]
pub struct HookSet(pub(super) Arc<SetData>);

pub(super) struct SetData {
    /// By the slot of the kind.
    plans: Box<[Option<PlanEntry>]>,
    pub(super) outlines: Box<[Outline]>,
    pub(super) parts: SetParts,
}

/// What a set has beside its plans.
pub(crate) struct SetParts {
    pub(crate) app: ListOwner,
    pub(crate) agent: String,
    /// Whose list is in force beside the app's.
    pub(crate) owner: ListOwner,
    pub(crate) names: HashSet<HookId>,
    pub(crate) findings: Vec<Finding>,
    /// How many hooks the registry has.
    pub(crate) registered: usize,
    /// The registry's revision that the set was made from.
    pub(crate) revision: u64,
    pub(crate) observers: Arc<[Arc<dyn Observer>]>,
    pub(crate) depth_limit: usize,
}

/// What a set has of one kind.
pub(crate) struct PlanEntry {
    plan: Box<dyn Any + Send + Sync>,
    pub(crate) disabled: Box<[HookId]>,
    /// What its hooks keep back of a stream.
    hold: Hold,
}

impl PlanEntry {
    /// The plan; `None` only for another kind than that of the slot.
    #[inline]
    pub(crate) fn plan<K: HookKind>(&self) -> Option<&Plan<K>> {
        self.plan.downcast_ref()
    }
}

/// The plan of one kind, its type erased.
pub(crate) struct KindPlan {
    slot: usize,
    entry: PlanEntry,
    outline: Outline,
    pub(crate) findings: Vec<Finding>,
}

impl KindPlan {
    /// `parts` in their order; `None` where there are none.
    ///
    /// `plan` is a [`Plan`] of the kind.
    pub(crate) fn new(
        parts: &[StepParts<'_>],
        plan: Box<dyn Any + Send + Sync>,
        disabled: Vec<(HookId, Disabled)>,
        findings: Vec<Finding>,
    ) -> Option<Self> {
        let kind = parts.first()?.binding.kind;
        let hold = parts.iter().fold(Hold::NOTHING, |hold, part| hold.and(part.hook.options.hold));
        Some(Self {
            slot: (kind.slot)().assign(),
            entry: PlanEntry { plan, disabled: disabled.iter().map(|(id, _)| id.clone()).collect(), hold },
            outline: Outline {
                kind: kind.name,
                semantics: kind.semantics,
                lines: parts.iter().map(line).collect(),
                disabled,
            },
            findings,
        })
    }
}

impl HookSet {
    pub(crate) fn new(kinds: Vec<KindPlan>, parts: SetParts) -> Self {
        let slots = kinds.iter().map(|kind| kind.slot + 1).max().unwrap_or(0);
        let mut plans: Vec<Option<PlanEntry>> = (0..slots).map(|_| None).collect();
        let mut outlines = Vec::with_capacity(kinds.len());
        for kind in kinds {
            plans[kind.slot] = Some(kind.entry);
            outlines.push(kind.outline);
        }
        Self(Arc::new(SetData { plans: plans.into(), outlines: outlines.into(), parts }))
    }

    /// Whether a hook of `K` is in force, so that a harness may save the work of making an event.
    pub fn has<K: HookKind>(&self) -> bool {
        self.entry::<K>().is_some()
    }

    /// The names of the kinds at which hooks are in force.
    pub fn kinds(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.0.outlines.iter().map(|outline| outline.kind)
    }

    /// How much of the end of a stream the hooks of `K` in force keep back.
    pub fn hold<K: HookKind>(&self) -> Hold {
        self.entry::<K>().map_or(Hold::NOTHING, |entry| entry.hold)
    }

    /// Whether a hook of `K` in force would be called for `event`: one whose filters match.
    ///
    /// ```
    /// use hooks_core::kinds::BeforeToolCall;
    /// use hooks_core::kinds::*;
    /// use hooks_core::prelude::*;
    ///
    /// let registry = Registry::empty();
    /// registry.register(Hook::at::<BeforeToolCall>("guard").reader(|_, _, _| Permission::allow()).only("tool", "pay_*"))?;
    /// let hooks = registry.scope(&AgentDef::new("support").hooks(["guard"]), None)?;
    /// let call = |tool: &str| BeforeToolCall::new(ToolCall::new("1", tool, serde_json::json!({})));
    /// assert!(hooks.selects(&call("pay_refund")) && !hooks.selects(&call("search")));
    /// # Ok::<(), ConfigError>(())
    /// ```
    pub fn selects<K: HookKind>(&self, event: &K) -> bool {
        self.selected(event).next().is_some()
    }

    /// The hooks at the kind whose filters match, in the order of the plan.
    pub fn selected<K: HookKind>(&self, event: &K) -> impl Iterator<Item = &HookId> {
        let plan = self.entry::<K>().and_then(PlanEntry::plan::<K>);
        let steps = plan.map_or(&[][..], |plan| &plan.steps);
        // A field of the event may be code of the app; a hook whose filter panics has failed, so it was selected.
        steps.iter().filter(|step| catch(|| step.matches(event)).unwrap_or(true)).map(|step| &step.id)
    }

    /// The jobs that a dispatch of `event` would queue, for a store that keeps them with what the event reports: both or
    /// neither. The dispatch itself then runs with [`queued_jobs`](crate::context::HookContextBuilder::queued_jobs).
    ///
    /// Plan and filters alone decide which they are. A job that cannot be written is left out here; the dispatch reports it.
    pub fn jobs<K: HookKind<Subject = ()>>(&self, cx: &HookContext, event: &K) -> Vec<Job> {
        let plan = self.entry::<K>().and_then(PlanEntry::plan::<K>);
        let steps = plan.map_or(&[][..], |plan| &plan.steps);
        let launch = |step: &Step<K>| {
            let launch = step.extras.as_ref()?.launch.as_ref()?;
            catch(|| step.matches(event)).unwrap_or(false).then(|| launch.job(cx, event, &()))?
        };
        steps.iter().filter_map(launch).collect()
    }

    /// What is not wrong, but likely not meant.
    pub fn audit(&self) -> &[Finding] {
        &self.0.parts.findings
    }

    pub(crate) fn names(&self, id: &HookId) -> bool {
        self.0.parts.names.contains(id)
    }

    /// Whose scope it is, and from which revision of the registry.
    pub(crate) fn parts(&self) -> &SetParts {
        &self.0.parts
    }

    #[inline]
    pub(crate) fn entry<K: HookKind>(&self) -> Option<&PlanEntry> {
        // No set has the slot 0, so a kind that nobody hooked anywhere ends here too.
        self.0.plans.get(K::slot().number())?.as_ref()
    }

    #[inline]
    pub(crate) fn depth_limit(&self) -> usize {
        self.0.parts.depth_limit
    }

    #[inline]
    pub(crate) fn observers(&self) -> &[Arc<dyn Observer>] {
        &self.0.parts.observers
    }
}

impl fmt::Debug for HookSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookSet").field("hooks", &self.0.parts.names).finish_non_exhaustive()
    }
}
