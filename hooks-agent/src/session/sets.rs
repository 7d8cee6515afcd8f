use std::sync::{Mutex, PoisonError};

use hooks_core::scope::{AgentDef, HookUse, PromptDef};
use hooks_core::{ConfigError, HookSet};

use crate::harness::Parts;

/// The hooks in force for the prompts of a session: made once for each, until the registry changes.
#[derive(Default)]
pub(crate) struct Sets(Mutex<Vec<Kept>>);

struct Kept {
    revision: u64,
    /// The prompt's name and list; `None` for no prompt.
    prompt: Option<(String, Option<Vec<HookUse>>)>,
    set: HookSet,
}

/// Prompts of which the sets are kept.
const KEPT: usize = 16;

impl Sets {
    pub(crate) fn of(
        &self,
        parts: &Parts,
        agent: &AgentDef,
        prompt: Option<&PromptDef>,
    ) -> Result<HookSet, ConfigError> {
        // Before the set is made: what changes meanwhile makes it an old one.
        let revision = parts.registry.revision();
        let is_same = |kept: &Kept| match (&kept.prompt, prompt) {
            (None, None) => true,
            (Some((name, hooks)), Some(prompt)) => *name == prompt.name && *hooks == prompt.hooks,
            _ => false,
        };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.revision == revision);
        if let Some(kept) = kept.iter().find(|kept| is_same(kept)) {
            return Ok(kept.set.clone());
        }
        let set = parts.scope(agent, prompt)?;
        if kept.len() == KEPT {
            kept.remove(0);
        }
        let prompt = prompt.map(|prompt| (prompt.name.clone(), prompt.hooks.clone()));
        kept.push(Kept { revision, prompt, set: set.clone() });
        Ok(set)
    }
}
