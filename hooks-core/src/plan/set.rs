//! The set of plans of one scope, one per kind with hooks.

use std::any::Any;
use std::sync::Arc;

use super::{Plan, PlannedHook, Selections, Step};
use crate::context::state::OF_APP;
use crate::context::{ConversationStates, HookContext, HookContextBuilder};
use crate::diagnostics::{ConfigError, Finding, ListOwner, Problem, ProblemKind};
use crate::hook::Hook;
use crate::id::HookId;
use crate::job::Job;
use crate::kind::{HookKind, KindDescriptor};
use crate::options::Hold;
use crate::panics::catch;
use crate::record::Observer;
use crate::tables::debug_of;

/// The hooks in force in one scope: ordered, immutable, and cheap to clone. Made by
/// [`Registry::scope`](crate::Registry::scope).
///
/// Its `Display` shows the plan: order, stages, which hooks write, and which ones were left out and why.
#[derive(Clone)]
pub struct HookSet(pub(super) Arc<SetData>);

pub(super) struct SetData {
    /// Indexed by the slot of the kind.
    plans: Box<[Option<PlanEntry>]>,
    /// The slots of the kinds with hooks, by the names of the kinds.
    slots: Box<[usize]>,
    pub(super) parts: SetParts,
}

/// The data of a set besides its plans.
pub(crate) struct SetParts {
    pub(crate) app: ListOwner,
    pub(crate) agent: String,
    /// The owner of the list that is in force in addition to the app's.
    pub(crate) owner: ListOwner,
    pub(crate) selections: Selections,
    pub(crate) findings: Vec<Finding>,
    /// The number of registered hooks.
    pub(crate) registered: usize,
    /// The registry's revision from which the set was made.
    pub(crate) revision: u64,
    pub(crate) observers: Arc<[Arc<dyn Observer>]>,
    pub(crate) conversations: Arc<ConversationStates>,
    pub(crate) depth_limit: usize,
}

/// A set's data for one kind.
pub(crate) struct PlanEntry {
    pub(super) kind: &'static KindDescriptor,
    plan: Box<dyn Any + Send + Sync>,
    /// The positions of the hooks among the selections of the set, in the order of the plan, and their stages.
    pub(super) hooks: Box<[(usize, usize)]>,
    /// The hooks that do not run.
    pub(crate) disabled: Box<[HookId]>,
    /// The combined `hold` of its hooks.
    hold: Hold,
}

impl PlanEntry {
    /// `plan` is the [`Plan`] of the kind, made from `hooks`, which are in order.
    pub(crate) fn new(
        kind: &'static KindDescriptor,
        hooks: &[PlannedHook<'_>],
        plan: Box<dyn Any + Send + Sync>,
        disabled: Vec<HookId>,
    ) -> Self {
        let hold = hooks.iter().fold(Hold::NOTHING, |hold, hook| hold.and(hook.binding.options.hold));
        let hooks = hooks.iter().map(|hook| (hook.position, hook.stage)).collect();
        Self { kind, plan, hooks, disabled: disabled.into(), hold }
    }

    /// The typed plan; `None` only if the slot belongs to another kind.
    #[inline]
    pub(crate) fn plan<K: HookKind>(&self) -> Option<&Plan<K>> {
        self.plan.downcast_ref()
    }
}

impl HookSet {
    /// The entries are in the order of the names of their kinds.
    pub(crate) fn new(entries: Vec<PlanEntry>, parts: SetParts) -> Self {
        let slots: Box<[usize]> = entries.iter().map(|entry| (entry.kind.slot)().assign()).collect();
        let mut plans: Vec<Option<PlanEntry>> = Vec::new();
        plans.resize_with(slots.iter().max().map_or(0, |last| last + 1), || None);
        for (slot, entry) in slots.iter().zip(entries) {
            plans[*slot] = Some(entry);
        }
        Self(Arc::new(SetData { plans: plans.into(), slots, parts }))
    }

    /// The kinds with hooks, by name.
    pub(super) fn entries(&self) -> impl Iterator<Item = &PlanEntry> {
        self.0.slots.iter().filter_map(|slot| self.0.plans[*slot].as_ref())
    }

    /// Whether a hook of `K` is in force. If not, a harness need not build the event.
    pub fn has<K: HookKind>(&self) -> bool {
        self.entry::<K>().is_some()
    }

    /// The names of the kinds at which hooks are in force.
    pub fn kinds(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.entries().map(|entry| entry.kind.name)
    }

    /// How much of the end of a stream the hooks of `K` hold back in total.
    pub fn hold<K: HookKind>(&self) -> Hold {
        self.entry::<K>().map_or(Hold::NOTHING, |entry| entry.hold)
    }

    /// The hooks of `K` that would be called for `event`, because all their filters match, in plan order.
    ///
    /// ```
    /// use hook_sdk::kinds::BeforeToolCall;
    /// use hook_sdk::kinds::*;
    /// use hook_sdk::prelude::*;
    ///
    /// let registry = Registry::empty();
    /// registry.register(Hook::at::<BeforeToolCall>("guard").reader(|_, _, _| Permission::Allow).only("tool", "pay_*"))?;
    /// let hooks = registry.scope(&AgentDef::new("support").hooks(["guard"]), None)?;
    /// let call = |tool: &str| BeforeToolCall::new(ToolCall::new("1", tool, serde_json::json!({})));
    /// assert!(hooks.selected(&call("pay_refund")).next().is_some());
    /// assert!(hooks.selected(&call("search")).next().is_none());
    /// # Ok::<(), ConfigError>(())
    /// ```
    pub fn selected<K: HookKind>(&self, event: &K) -> impl Iterator<Item = &HookId> {
        // An event's field may be app code. A hook whose filter panics has failed, so it counts as selected.
        self.steps::<K>().iter().filter(|step| catch(|| step.matches(event)).unwrap_or(true)).map(|step| &step.id)
    }

    /// Returns the jobs that a dispatch of `event` would queue, so that a store can write them in the same transaction
    /// as the data that the event reports. Then dispatch with
    /// [`queued_jobs`](crate::context::HookContextBuilder::queued_jobs) set.
    ///
    /// The jobs depend only on the plan and its filters. A job that cannot be serialized is omitted; the dispatch
    /// reports it.
    pub fn jobs<K: HookKind<Subject = ()>>(&self, cx: &HookContext, event: &K) -> Vec<Job> {
        let launch = |step: &Step<K>| {
            let launch = step.extras.as_ref()?.launch.as_ref()?;
            catch(|| step.matches(event)).unwrap_or(false).then(|| launch.job(cx, event, &()))?
        };
        self.steps::<K>().iter().filter_map(launch).collect()
    }

    /// Builds a context for the hooks of this set. It keeps states of conversations and turns.
    ///
    /// # Errors
    /// All states of the app that hooks of this set take as [`&State<T>`](crate::State) and nobody set.
    pub fn context(&self, builder: HookContextBuilder) -> Result<HookContext, ConfigError> {
        let cx = builder.conversation_states(Arc::clone(&self.0.parts.conversations)).build();
        let problem = |(hook, text): (&Hook, String)| Problem::new(ProblemKind::MissingState, &hook.id, text);
        ConfigError::unless_empty(self.missing_states(&cx).map(problem).collect())?;
        Ok(cx)
    }

    /// The hooks in force that take a state that the context does not hold.
    pub(crate) fn missing_states(&self, cx: &HookContext) -> impl Iterator<Item = (&Hook, String)> {
        let states = self.in_force().flat_map(|hook| hook.states(false).map(move |state| (hook, state)));
        states.filter(|(_, state)| !cx.holds(*state)).map(|(hook, state)| {
            (hook, format!("{hook} takes `&State<{state}>`, which the context does not hold; {OF_APP}"))
        })
    }

    /// The findings of this set: configuration that is valid but suspicious.
    #[must_use = "nothing else tells of them"]
    pub fn audit(&self) -> &[Finding] {
        &self.0.parts.findings
    }

    /// The hooks in force.
    pub(crate) fn in_force(&self) -> impl Iterator<Item = &Hook> {
        let selections = self.0.parts.selections.all.iter();
        selections.filter(|selection| selection.disabled.is_none()).map(|selection| &*selection.hook)
    }

    /// Whether a list of this set names the hook, also if it is disabled.
    pub fn names(&self, id: &str) -> bool {
        self.0.parts.selections.get(id).is_some()
    }

    /// What all kinds have in common.
    #[inline]
    pub(crate) fn parts(&self) -> &SetParts {
        &self.0.parts
    }

    fn steps<K: HookKind>(&self) -> &[Step<K>] {
        self.entry::<K>().and_then(PlanEntry::plan::<K>).map_or(&[], |plan| &plan.steps)
    }

    #[inline]
    pub(crate) fn entry<K: HookKind>(&self) -> Option<&PlanEntry> {
        // No set uses slot 0, so this is also `None` for a kind without any hooks.
        self.0.plans.get(K::slot().number())?.as_ref()
    }
}

debug_of!(HookSet, self => {
    hooks: self.0.parts.selections.all.iter().map(|selection| &selection.hook.id).collect::<Vec<_>>()
});
