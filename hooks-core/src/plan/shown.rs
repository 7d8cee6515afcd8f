//! The printed form of a set, and access to its plans by name.

use std::fmt;

use super::outline::PlannedHook;
use super::set::HookSet;
use crate::id::HookId;

impl HookSet {
    /// The hooks of the kind with this name, in the order in which they run.
    ///
    /// ```
    /// use hook_sdk::kinds::BeforeToolCall;
    /// use hook_sdk::prelude::*;
    ///
    /// let registry = Registry::empty();
    /// registry.register(Hook::at::<BeforeToolCall>("guard").reader(|_, _, _| Permission::allow()).only("tool", "pay_*"))?;
    /// let hooks = registry.scope(&AgentDef::new("support").hooks(["guard"]), None)?;
    /// let guard = hooks.plan("before_tool_call").next().unwrap();
    /// assert_eq!(guard.kept_out_by("tool", "pay_refund"), None);
    /// assert_eq!(guard.kept_out_by("tool", "search").as_deref(), Some("tool pay_*"));
    /// # Ok::<(), ConfigError>(())
    /// ```
    pub fn plan(&self, kind: &str) -> impl Iterator<Item = PlannedHook<'_>> {
        let of_kind = self.0.outlines.iter().filter(move |outline| outline.kind == kind);
        of_kind.flat_map(|outline| outline.lines.iter().map(PlannedHook))
    }

    /// The hooks of the kind with this name that a list names but that do not run, each with the reason.
    pub fn left_out(&self, kind: &str) -> impl Iterator<Item = (&HookId, String)> {
        let of_kind = self.0.outlines.iter().filter(move |outline| outline.kind == kind);
        of_kind.flat_map(|outline| outline.disabled.iter().map(|(id, off)| (id, off.to_string())))
    }

    /// Describes whose lists are in force: the app's, and the agent's or the prompt's.
    pub fn owners(&self) -> String {
        format!("{} and {}", self.0.parts.app, self.0.parts.owner)
    }
}

impl fmt::Display for HookSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "hooks of {}", self.owners())?;
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
