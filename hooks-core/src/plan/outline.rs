//! The printable form of a plan: its lines, and the disabled hooks.

use std::fmt;
use std::sync::Arc;

use wildmatch::WildMatch;

use super::StepParts;
use crate::id::HookId;
use crate::options::{HookMode, OnReplay, RunMode, Visibility};
use crate::verdict::Semantics;

/// The printable form of a plan.
pub(super) struct Outline {
    pub(super) kind: &'static str,
    pub(super) semantics: Semantics,
    pub(super) lines: Vec<PlanLine>,
    pub(super) disabled: Vec<(HookId, Disabled)>,
}

/// One hook of a plan, as it is printed.
pub(super) struct PlanLine {
    hook: HookId,
    pub(super) stage: usize,
    pub(super) text: String,
    /// The hook's filters: fields and patterns.
    filters: Vec<(&'static str, String)>,
}

/// A hook in the plan of a kind: see [`HookSet::plan`](crate::HookSet::plan).
#[derive(Clone, Copy)]
pub struct PlannedHook<'a>(pub(super) &'a PlanLine);

impl<'a> PlannedHook<'a> {
    /// The id of the hook.
    pub fn hook(&self) -> &'a HookId {
        &self.0.hook
    }

    /// The number of the hook's stage. Hooks of one stage may run concurrently.
    pub fn stage(&self) -> usize {
        self.0.stage
    }

    /// The hook's line in the printed plan.
    pub fn text(&self) -> &'a str {
        &self.0.text
    }

    /// Returns the first filter that rejects an event whose `field` is `value`, in the form `field patterns`; `None` if
    /// no filter on that field rejects it.
    pub fn kept_out_by(&self, field: &str, value: &str) -> Option<String> {
        let matches = |patterns: &str| patterns.split('|').any(|pattern| WildMatch::new(pattern).matches(value));
        let mut of_field = self.0.filters.iter().filter(|(name, _)| *name == field);
        of_field.find(|(_, patterns)| !matches(patterns)).map(|(name, patterns)| format!("{name} {patterns}"))
    }
}

impl fmt::Debug for PlannedHook<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlannedHook").field("hook", self.hook()).field("stage", &self.stage()).finish_non_exhaustive()
    }
}

/// Why a hook of a set does not run.
#[derive(Clone, Debug)]
pub(crate) enum Disabled {
    /// The app disabled it.
    App,
    /// A layer of overrides disabled it.
    Layer(Arc<str>),
    /// Its plugin failed to start.
    Plugin(Arc<str>),
}

impl fmt::Display for Disabled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::App => f.write_str("disabled"),
            Self::Layer(layer) => write!(f, "disabled by {layer}"),
            Self::Plugin(plugin) => write!(f, "its plugin {plugin} failed to start"),
        }
    }
}

pub(super) fn line(part: &StepParts<'_>) -> PlanLine {
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
    if !options.delay.is_zero() {
        let _ = write!(text, " after {:?},", options.delay);
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
    let mut filters = Vec::new();
    for only in &binding.filters {
        let field = only.field.as_ref().ok().and_then(|index| fields.get(*index)).copied().unwrap_or_default();
        let _ = write!(text, " only {field} {};", only.patterns);
        filters.push((field, only.patterns.to_string()));
    }
    let _ = write!(text, " {}", hook.origin);
    PlanLine { hook: hook.id.clone(), stage: part.stage, text, filters }
}
