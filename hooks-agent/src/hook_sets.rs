//! The sets of hooks that are in force for agents at prompts.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hooks_core::scope::{AgentDef, HookUse, PromptDef};
use hooks_core::{ConfigError, HookSet, Registry};

/// The hooks in force for the agents and prompts of a harness: made once for each, until the registry changes.
#[derive(Default)]
pub(crate) struct HookSets(Mutex<Vec<Kept>>);

struct Kept {
    revision: u64,
    agent: Arc<AgentDef>,
    /// The prompt's name and list; `None` for no prompt.
    prompt: Option<(String, Option<Vec<HookUse>>)>,
    set: HookSet,
}

/// Agents and prompts of which the sets are kept.
const KEPT: usize = 64;

impl Kept {
    fn is_of(&self, agent: &Arc<AgentDef>, prompt: Option<&PromptDef>) -> bool {
        let prompts_match = match (&self.prompt, prompt) {
            (None, None) => true,
            (Some((name, hooks)), Some(prompt)) => *name == prompt.name && *hooks == prompt.hooks,
            _ => false,
        };
        // The sessions of an agent share its definition, so that it is seldom read through.
        prompts_match && (Arc::ptr_eq(&self.agent, agent) || same(&self.agent, agent))
    }
}

/// Whether the same hooks are in force for both.
fn same(one: &AgentDef, other: &AgentDef) -> bool {
    one.name == other.name && one.hooks == other.hooks
}

impl HookSets {
    pub(crate) fn of(
        &self,
        registry: &Registry,
        agent: &Arc<AgentDef>,
        prompt: Option<&PromptDef>,
    ) -> Result<HookSet, ConfigError> {
        // Before the set is made: what changes meanwhile makes it an old one.
        let revision = registry.revision();
        if let Some(kept) = self.at(revision).iter().find(|kept| kept.is_of(agent, prompt)) {
            return Ok(kept.set.clone());
        }
        let set = registry.scope(&**agent, prompt.map(|prompt| prompt as _))?;
        let mut kept = self.at(revision);
        // Another session may have made the same meanwhile.
        kept.retain(|kept| !kept.is_of(agent, prompt));
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        let prompt = prompt.map(|prompt| (prompt.name.clone(), prompt.hooks.clone()));
        kept.push(Kept { revision, agent: Arc::clone(agent), prompt, set: set.clone() });
        Ok(set)
    }

    /// One definition for all that have the name and the list of `agent`, where there is a set of it.
    pub(crate) fn shared(&self, agent: AgentDef) -> Arc<AgentDef> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.iter().find(|kept| same(&kept.agent, &agent)).map(|kept| Arc::clone(&kept.agent));
        known.unwrap_or_else(|| Arc::new(agent))
    }

    /// What is kept of this `revision`; the rest is dropped.
    fn at(&self, revision: u64) -> MutexGuard<'_, Vec<Kept>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.revision == revision);
        kept
    }
}
