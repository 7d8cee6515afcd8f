//! The printed form of a set, and access to its plans by name.

use std::fmt;

use super::outline::PlannedHook;
use super::set::{HookSet, PlanEntry};
use crate::id::HookId;

impl HookSet {
    /// The hooks of the kind with this name, in the order in which they run.
    ///
    /// ```
    /// use hook_sdk::kinds::BeforeToolCall;
    /// use hook_sdk::prelude::*;
    ///
    /// let registry = Registry::empty();
    /// registry.register(Hook::at::<BeforeToolCall>("guard").reader(|_, _, _| Permission::Allow).only("tool", "pay_*"))?;
    /// let hooks = registry.scope(&AgentDef::new("support").hooks(["guard"]), None)?;
    /// let guard = hooks.plan("before_tool_call").next().unwrap();
    /// assert_eq!(guard.kept_out_by("tool", "pay_refund"), None);
    /// assert_eq!(guard.kept_out_by("tool", "search").as_deref(), Some("tool pay_*"));
    /// # Ok::<(), ConfigError>(())
    /// ```
    pub fn plan(&self, kind: &str) -> impl Iterator<Item = PlannedHook<'_>> {
        self.of_kind(kind).flat_map(|entry| self.planned(entry))
    }

    /// The hooks of the kind with this name that a list names but that do not run, each with the reason.
    pub fn left_out(&self, kind: &str) -> impl Iterator<Item = (&HookId, String)> {
        self.of_kind(kind).flat_map(|entry| self.disabled(entry))
    }

    fn of_kind(&self, kind: &str) -> impl Iterator<Item = &PlanEntry> {
        self.entries().filter(move |entry| entry.kind.name == kind)
    }

    fn planned<'a>(&'a self, entry: &'a PlanEntry) -> impl Iterator<Item = PlannedHook<'a>> {
        entry.hooks.iter().filter_map(|&(position, stage)| {
            let selection = &self.0.parts.selections.all[position];
            let binding = selection.hook.bindings.iter().find(|binding| binding.kind == entry.kind)?;
            Some(PlannedHook { selection, binding, position, stage })
        })
    }

    fn disabled<'a>(&'a self, entry: &'a PlanEntry) -> impl Iterator<Item = (&'a HookId, String)> {
        let why = |id| self.0.parts.selections.named(id)?.disabled.as_ref().map(ToString::to_string);
        entry.disabled.iter().filter_map(move |id| Some((id, why(id)?)))
    }

    /// Describes whose lists are in force: the app's, and the agent's or the prompt's.
    pub fn owners(&self) -> String {
        format!("{} and {}", self.0.parts.app, self.0.parts.owner)
    }
}

impl fmt::Display for HookSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "hooks of {}", self.owners())?;
        for entry in self.entries() {
            writeln!(f, "{} ({})", entry.kind.name, entry.kind.semantics)?;
            let mut number = 0;
            let planned: Vec<PlannedHook<'_>> = self.planned(entry).collect();
            for stage in planned.chunk_by(|a, b| a.stage == b.stage) {
                for (i, hook) in stage.iter().enumerate() {
                    number += 1;
                    let mark = match (stage.len(), i) {
                        (1, _) => ' ',
                        (_, 0) => '┌',
                        (len, i) if i + 1 == len => '└',
                        _ => '│',
                    };
                    writeln!(f, "{number:>4} {mark} {hook}")?;
                }
            }
            for (id, off) in self.disabled(entry) {
                writeln!(f, "   - {:<26} left out: {off}", id.as_str())?;
            }
        }
        for finding in &self.0.parts.findings {
            writeln!(f, "note: {finding}")?;
        }
        let others = self.0.parts.registered.saturating_sub(self.0.parts.selections.all.len());
        if others > 0 {
            writeln!(f, "{others} other registered hooks are in no list of this scope")?;
        }
        Ok(())
    }
}
