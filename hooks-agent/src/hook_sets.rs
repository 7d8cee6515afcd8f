//! A cache of the hook sets in force for agents and prompts.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hook_sdk::scope::{AgentDef, HookUse, PromptDef};
use hook_sdk::{ConfigError, HookSet, Registry};

/// The hook sets of the agents and prompts of a harness. Each is built and checked once, until the registry changes.
#[derive(Default)]
pub(crate) struct HookSets(Mutex<Vec<CachedSet>>);

struct CachedSet {
    revision: u64,
    agent: Arc<AgentDef>,
    /// The prompt's name and list. `None` without a prompt.
    prompt: Option<(String, Option<Vec<HookUse>>)>,
    set: HookSet,
}

/// The maximum number of cached sets.
const KEPT: usize = 64;

impl CachedSet {
    fn is_of(&self, agent: &Arc<AgentDef>, prompt: Option<&PromptDef>) -> bool {
        let prompts_match = match (&self.prompt, prompt) {
            (None, None) => true,
            (Some((name, hooks)), Some(prompt)) => *name == prompt.name && *hooks == prompt.hooks,
            _ => false,
        };
        // Sessions of an agent share its definition, so the pointer comparison usually suffices.
        prompts_match && (Arc::ptr_eq(&self.agent, agent) || same(&self.agent, agent))
    }
}

/// Whether both definitions select the same hooks.
fn same(one: &AgentDef, other: &AgentDef) -> bool {
    one.name == other.name && one.hooks == other.hooks
}

impl HookSets {
    pub(crate) fn of(
        &self,
        registry: &Registry,
        agent: &Arc<AgentDef>,
        prompt: Option<&PromptDef>,
        check: impl FnOnce(&HookSet) -> Result<(), ConfigError>,
    ) -> Result<HookSet, ConfigError> {
        // Read the revision before building the set: a set that was built during a change belongs to the older
        // revision.
        let revision = registry.revision();
        if let Some(kept) = self.at(revision).iter().find(|kept| kept.is_of(agent, prompt)) {
            return Ok(kept.set.clone());
        }
        let set = registry.scope(&**agent, prompt.map(|prompt| prompt as _))?;
        check(&set)?;
        let mut kept = self.at(revision);
        // Another session may have built the same set meanwhile.
        kept.retain(|kept| !kept.is_of(agent, prompt));
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        let prompt = prompt.map(|prompt| (prompt.name.clone(), prompt.hooks.clone()));
        kept.push(CachedSet { revision, agent: Arc::clone(agent), prompt, set: set.clone() });
        Ok(set)
    }

    /// Returns the cached definition that has the same name and list as `agent`, so that sessions share one allocation.
    pub(crate) fn shared(&self, agent: AgentDef) -> Arc<AgentDef> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept.iter().find(|kept| same(&kept.agent, &agent)).map(|kept| Arc::clone(&kept.agent));
        known.unwrap_or_else(|| Arc::new(agent))
    }

    /// Locks the cache, and drops the sets of other revisions than `revision`.
    fn at(&self, revision: u64) -> MutexGuard<'_, Vec<CachedSet>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.revision == revision);
        kept
    }
}
