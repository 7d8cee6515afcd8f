use hooks_core::scope::{AgentDef, Definition, PromptDef};
use hooks_core::{ConfigError, HookSet, Registry};

/// What the commands are asked about: files of rules, and the compiled hooks of an app.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub(crate) registry: Registry,
    pub(crate) sets: Vec<HookSet>,
    /// What the sets were made of.
    pub(crate) definitions: Vec<(AgentDef, Option<PromptDef>)>,
}

impl Program {
    /// Files of rules only: no compiled hooks.
    pub fn new() -> Self {
        Self { registry: Registry::empty(), sets: Vec::new(), definitions: Vec::new() }
    }

    /// Files of rules, and the compiled hooks of `registry`.
    ///
    /// `dispatch` sets the app's list of this registry to the rules of its files, and `check` adds hooks that run them: end
    /// the program with its output.
    pub fn of(registry: &Registry) -> Self {
        Self { registry: registry.clone(), sets: Vec::new(), definitions: Vec::new() }
    }

    /// Adds the set of an agent and, where there is one, a prompt: `list`, `explain` and `audit` tell of it.
    ///
    /// # Errors
    /// As [`Registry::scope`]: everything that is wrong at once.
    pub fn scope(mut self, agent: &dyn Definition, prompt: Option<&PromptDef>) -> Result<Self, ConfigError> {
        self.sets.push(self.registry.scope(agent, prompt)?);
        let mut owned = AgentDef::new(agent.name());
        owned.hooks = agent.hooks().map(<[_]>::to_vec);
        self.definitions.push((owned, prompt.cloned()));
        Ok(self)
    }
}
