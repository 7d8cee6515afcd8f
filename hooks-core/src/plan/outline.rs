//! The printed form of a planned hook.

use std::fmt;

use crate::hook::{Binding, Only};
use crate::id::HookId;
use crate::options::{Hold, HookMode, OnReplay, RunMode, Visibility};

use super::Selection;
use super::filter::patterns;

/// A hook in the plan of a kind: see [`HookSet::plan`](crate::HookSet::plan).
///
/// Its `Display` is the hook's line in the printed plan.
#[derive(Clone, Copy)]
pub struct PlannedHook<'a> {
    pub(crate) selection: &'a Selection,
    pub(crate) binding: &'a Binding,
    /// The position of the hook in the lists.
    pub(crate) position: usize,
    pub(crate) stage: usize,
}

impl<'a> PlannedHook<'a> {
    /// The id of the hook, or the name that a list gives it.
    pub fn hook(&self) -> &'a HookId {
        &self.selection.hook.id
    }

    /// The number of the hook's stage. Hooks of one stage may run concurrently.
    pub fn stage(&self) -> usize {
        self.stage
    }

    /// Returns the first filter that rejects an event whose `field` is `value`, in the form `field patterns`; `None` if
    /// no filter on that field rejects it.
    pub fn kept_out_by(&self, field: &str, value: &str) -> Option<String> {
        let rejects = |only: &Only| !patterns(&only.patterns).iter().any(|pattern| pattern.matches(value));
        let of_field = self.filters().filter(|(name, _)| *name == field);
        let mut rejecting = of_field.filter(|(_, only)| rejects(only));
        rejecting.next().map(|(name, only)| format!("{name} {}", only.patterns))
    }

    /// The filters with the names of their fields.
    fn filters(&self) -> impl Iterator<Item = (&'static str, &'a Only)> {
        let (filters, fields) = (&self.binding.filters, self.binding.kind.fields);
        filters.iter().filter_map(|only| Some((*fields.get(*only.field.as_ref().ok()?)?, only)))
    }
}

impl fmt::Debug for PlannedHook<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlannedHook").field("hook", self.hook()).field("stage", &self.stage()).finish_non_exhaustive()
    }
}

impl fmt::Display for PlannedHook<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hook, binding) = (&self.selection.hook, self.binding);
        let options = &binding.options;
        let access = if binding.form.writes { "writes" } else { "reads" };
        write!(f, "{:<24} {access:<6}", hook.id.as_str())?;
        match (options.run, options.blocking) {
            (RunMode::Inline, false) => {}
            (RunMode::Inline, true) => f.write_str(" blocking,")?,
            (mode, false) => write!(f, " {mode},")?,
            (mode, true) => write!(f, " {mode}, blocking,")?,
        }
        if options.idempotent {
            f.write_str(" idempotent,")?;
        }
        if options.retries > 0 {
            write!(f, " {} retries,", options.retries)?;
        }
        if !options.delay.is_zero() {
            write!(f, " after {:?},", options.delay)?;
        }
        if binding.takes_timeout() {
            let deadline =
                options.timeout.duration().map_or("no deadline".to_owned(), |limit| format!("within {limit:?}"));
            let what = if options.blocking || binding.form.detached { "" } else { " async," };
            write!(f, "{what} {deadline};")?;
        }
        if options.hold != Hold::NOTHING {
            write!(f, " holds back {};", options.hold)?;
        }
        if options.mode == HookMode::Shadow {
            f.write_str(" in shadow;")?;
        }
        if options.on_replay == OnReplay::Skip {
            f.write_str(" not in a replay;")?;
        }
        write!(f, " priority {};", options.priority)?;
        for (option, ids) in [("after", &options.after), ("before", &options.before), ("requires", &options.requires)] {
            if !ids.is_empty() {
                write!(f, " {option} {};", ids.join(", "))?;
            }
        }
        let first = if binding.has_fallback() { "its fallback, then " } else { "" };
        write!(f, " on failure {first}{};", binding.policy().as_str())?;
        if self.selection.hook_cx.as_ref().is_some_and(|hook_cx| hook_cx.with.is_some()) {
            f.write_str(" with parameters;")?;
        }
        if self.selection.id != hook.id {
            write!(f, " runs {};", self.selection.id)?;
        }
        if let Some(plugin) = &hook.plugin {
            write!(f, " of {plugin};")?;
        }
        if hook.locked {
            f.write_str(" locked;")?;
        }
        if let Some(overridden) = &self.selection.overridden {
            write!(f, " overridden: {overridden};")?;
        }
        if let Some(capabilities) = options.capabilities {
            write!(f, " contributes {capabilities};")?;
        }
        if options.visibility != Visibility::Internal {
            write!(f, " visibility {};", options.visibility)?;
        }
        for (field, only) in self.filters() {
            write!(f, " only {field} {};", only.patterns)?;
        }
        write!(f, " {}", hook.origin)
    }
}
