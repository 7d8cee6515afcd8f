//! A set of plans, one per kind that has hooks.

use std::any::Any;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use super::{Plan, Step};
use crate::context::HookContext;
use crate::diagnostics::Finding;
use crate::diagnostics::ListOwner;
use crate::id::HookId;
use crate::job::Job;
use crate::kind::HookKind;
use crate::options::{Hold, HookMode, OnReplay, RunMode, Visibility};
use crate::panics::catch;
use crate::plan::StepParts;
use crate::record::Observer;
use crate::verdict::Semantics;

/// The hooks in force in one scope: ordered, immutable, cheap to clone.
///
/// `println!("{set}")` shows the plan: order, stages, who writes, what was left out and why.
#[derive(Clone)]
pub struct HookSet(Arc<SetData>);

struct SetData {
    /// By the slot of the kind.
    plans: Box<[Option<PlanEntry>]>,
    outlines: Box<[Outline]>,
    parts: SetParts,
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

/// What a plan looks like.
struct Outline {
    kind: &'static str,
    semantics: Semantics,
    lines: Vec<PlanLine>,
    disabled: Vec<(HookId, Disabled)>,
}

/// Why a hook that is in a set does not run.
#[derive(Clone, Debug)]
pub(crate) enum Disabled {
    /// The app disabled it.
    App,
    /// A layer of overrides did.
    Layer(Arc<str>),
    /// Its plugin could not be started.
    Plugin(Arc<str>),
}

impl fmt::Display for Disabled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::App => f.write_str("disabled"),
            Self::Layer(layer) => write!(f, "disabled by {layer}"),
            Self::Plugin(plugin) => write!(f, "its plugin {plugin} could not be started"),
        }
    }
}

struct PlanLine {
    stage: usize,
    text: String,
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
        let plan = self.entry::<K>().and_then(PlanEntry::plan::<K>);
        // A field of the event may be code of the app; a hook whose filter panics has failed, so it was selected.
        plan.is_some_and(|plan| plan.steps.iter().any(|step| catch(|| step.matches(event)).unwrap_or(true)))
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

fn line(part: &StepParts<'_>) -> PlanLine {
    use std::fmt::Write as _;

    let (hook, binding) = (part.hook, part.binding);
    let options = &hook.options;
    let access = if binding.form.writes { "writes" } else { "reads" };
    let mut text = format!("{:<24} {access:<6}", hook.id.as_str());
    // Writing to a string cannot fail.
    match (options.run, options.blocking) {
        (RunMode::Inline, false) => {}
        (RunMode::Inline, true) => text.push_str(" blocking,"),
        (mode, false) => drop(write!(text, " {mode},")),
        (mode, true) => drop(write!(text, " {mode}, blocking,")),
    }
    if options.retries > 0 {
        let _ = write!(text, " {} retries,", options.retries);
    }
    if binding.takes_timeout(options) {
        let deadline = options.timeout.duration().map_or("no deadline".to_owned(), |limit| format!("within {limit:?}"));
        let what = if options.blocking || binding.form.detached { "" } else { " async," };
        let _ = write!(text, "{what} {deadline};");
    }
    if options.mode == HookMode::Shadow {
        text.push_str(" in shadow;");
    }
    if options.on_replay == OnReplay::Skip {
        text.push_str(" not in a replay;");
    }
    let _ = write!(text, " priority {};", options.priority);
    for (option, ids) in [("after", &options.after), ("before", &options.before), ("requires", &options.requires)] {
        if !ids.is_empty() {
            let _ = write!(text, " {option} {};", ids.join(", "));
        }
    }
    let policy = binding.policy(options);
    let first = if binding.has_fallback() { "its fallback, then " } else { "" };
    let _ = write!(text, " on failure {first}{};", policy.as_str());
    if part.own.as_ref().is_some_and(|own| own.with.is_some()) {
        text.push_str(" with parameters;");
    }
    if let Some(plugin) = &hook.plugin {
        let _ = write!(text, " of {plugin};");
    }
    if hook.locked {
        text.push_str(" locked;");
    }
    if let Some(overridden) = part.overridden {
        let _ = write!(text, " overridden: {overridden};");
    }
    if let Some(capabilities) = options.capabilities {
        let _ = write!(text, " contributes {capabilities};");
    }
    if options.visibility != Visibility::Internal {
        let _ = write!(text, " visibility {};", options.visibility);
    }
    let fields = binding.kind.fields;
    for only in &binding.filters {
        let field = only.field.as_ref().ok().and_then(|index| fields.get(*index)).copied().unwrap_or_default();
        let _ = write!(text, " only {field} {};", only.patterns);
    }
    let _ = write!(text, " {}", hook.origin);
    PlanLine { stage: part.stage, text }
}

impl fmt::Display for HookSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "hooks of {} and {}", self.0.parts.app, self.0.parts.owner)?;
        for outline in &self.0.outlines {
            writeln!(f, "{} ({})", outline.kind, outline.semantics)?;
            let mut number = 0;
            for stage in outline.lines.chunk_by(|a, b| a.stage == b.stage) {
                for (i, line) in stage.iter().enumerate() {
                    number += 1;
                    let mark = match (stage.len(), i) {
                        (1, _) => ' ',
                        (_, 0) => '┌',
                        (len, i) if i + 1 == len => '└',
                        _ => '│',
                    };
                    writeln!(f, "{number:>4} {mark} {}", line.text)?;
                }
            }
            for (id, off) in &outline.disabled {
                writeln!(f, "   - {:<26} left out: {off}", id.as_str())?;
            }
        }
        for finding in &self.0.parts.findings {
            writeln!(f, "note: {finding}")?;
        }
        let others = self.0.parts.registered.saturating_sub(self.0.parts.names.len());
        if others > 0 {
            writeln!(f, "{others} other registered hooks are in no list of this scope")?;
        }
        Ok(())
    }
}

impl fmt::Debug for HookSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookSet").field("hooks", &self.0.parts.names).finish_non_exhaustive()
    }
}
