//! The printed form of a planned hook.

use std::fmt;

use crate::hook::{Binding, Only};
use crate::id::HookId;
use crate::options::{Hold, HookMode, OnReplay, RunMode, Visibility};
use crate::tables::debug_of;

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
        let of_field = self.binding.filters().filter(|(name, _)| *name == field);
        let mut rejecting = of_field.filter(|(_, only)| rejects(only));
        rejecting.next().map(|(name, only)| format!("{name} {}", only.patterns))
    }
}

debug_of!(PlannedHook<'_>, self => { hook: self.hook(), stage: self.stage });

impl fmt::Display for PlannedHook<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hook, binding) = (&self.selection.hook, self.binding);
        let options = &binding.options;
        let access = if binding.form.writes { "writes" } else { "reads" };
        write!(f, "{:<24} {access:<6}", hook.id.as_str())?;
        let mut say = |is_so: bool, what: fmt::Arguments<'_>| if is_so { f.write_fmt(what) } else { Ok(()) };
        say(options.run != RunMode::Inline, format_args!(" {},", options.run))?;
        say(options.blocking, format_args!(" blocking,"))?;
        say(options.idempotent, format_args!(" idempotent,"))?;
        say(options.retries > 0, format_args!(" {} retries,", options.retries))?;
        say(!options.delay.is_zero(), format_args!(" after {:?},", options.delay))?;
        let deadline = options.timeout.duration().map_or("no deadline".to_owned(), |limit| format!("within {limit:?}"));
        let what = if options.blocking || binding.form.detached { "" } else { " async," };
        say(binding.takes_timeout(), format_args!("{what} {deadline};"))?;
        say(options.hold != Hold::NOTHING, format_args!(" holds back {};", options.hold))?;
        say(options.mode == HookMode::Shadow, format_args!(" in shadow;"))?;
        say(options.on_replay == OnReplay::Skip, format_args!(" not in a replay;"))?;
        say(true, format_args!(" priority {};", options.priority))?;
        for (option, ids) in options.constraints() {
            say(!ids.is_empty(), format_args!(" {option} {};", ids.join(", ")))?;
        }
        let first = if binding.fallback.is_some() { "its fallback, then " } else { "" };
        say(true, format_args!(" on failure {first}{};", binding.policy()))?;
        let has_parameters = self.selection.hook_cx.as_ref().is_some_and(|hook_cx| hook_cx.with.is_some());
        say(has_parameters, format_args!(" with parameters;"))?;
        say(self.selection.id != hook.id, format_args!(" runs {};", self.selection.id))?;
        if let Some(plugin) = &hook.plugin {
            say(true, format_args!(" of {plugin};"))?;
        }
        say(hook.locked, format_args!(" locked;"))?;
        if let Some(overridden) = &self.selection.overridden {
            say(true, format_args!(" overridden: {overridden};"))?;
        }
        if let Some(capabilities) = options.capabilities {
            say(true, format_args!(" contributes {capabilities};"))?;
        }
        say(options.visibility != Visibility::Internal, format_args!(" visibility {};", options.visibility))?;
        for (field, only) in binding.filters() {
            say(true, format_args!(" only {field} {};", only.patterns))?;
        }
        write!(f, " {}", hook.origin)
    }
}
