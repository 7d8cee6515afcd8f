use std::sync::Arc;

use hook_sdk::scope::{AgentDef, Definition, PromptDef};
use hook_sdk::{ConfigError, Hook, HookSet, Registry};

/// What the commands inspect: rule files, and the compiled hooks of an app.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub(crate) registry: Registry,
    pub(crate) sets: Vec<HookSet>,
    /// The definitions from which the sets were created.
    pub(crate) definitions: Vec<(AgentDef, Option<PromptDef>)>,
    /// The names of the app's tools, if they are known.
    pub(crate) tools: Vec<String>,
    /// Hooks that are of no app, but that rules may name.
    pub(crate) library: Vec<Arc<Hook>>,
}

impl Program {
    /// Creates a program for rule files only, without compiled hooks.
    pub fn new() -> Self {
        Self { registry: Registry::empty(), ..Self::default() }
    }

    /// Creates a program for rule files and the compiled hooks of `registry`.
    ///
    /// `dispatch` replaces the app's list of this registry, and `check` registers hooks in it, so the registry should
    /// not be used afterwards.
    pub fn of(registry: &Registry) -> Self {
        Self { registry: registry.clone(), ..Self::default() }
    }

    /// Adds compiled hooks that rules may name, as in `{ "type": "hook", "id": "deny_secrets" }`, and that do not run
    /// otherwise.
    #[must_use]
    pub fn library(mut self, hooks: impl IntoIterator<Item = Arc<Hook>>) -> Self {
        self.library.extend(hooks);
        self
    }

    /// A copy of the registry with the library too. `None` if the program does not know which compiled hooks there are.
    pub(crate) fn everything(&self) -> Option<Registry> {
        let registry = self.registry.fork();
        for hook in &self.library {
            // The app's own hook of that id comes first.
            drop(registry.register(Hook::clone(hook)));
        }
        (!registry.hooks().is_empty()).then_some(registry)
    }

    /// Sets the names of all tools that the model may be offered. `audit` then reports filters, and `check` reports matchers
    /// of rules, that select none of them or almost name one.
    #[must_use]
    pub fn tools<N: Into<String>>(self, names: impl IntoIterator<Item = N>) -> Self {
        Self { tools: names.into_iter().map(Into::into).collect(), ..self }
    }

    /// Adds the hook set of an agent and an optional prompt for `list`, `explain` and `audit`.
    ///
    /// # Errors
    /// Those of [`Registry::scope`].
    pub fn scope(mut self, agent: &dyn Definition, prompt: Option<&PromptDef>) -> Result<Self, ConfigError> {
        self.sets.push(self.registry.scope(agent, prompt)?);
        let mut owned = AgentDef::new(agent.name());
        owned.hooks = agent.hooks().map(<[_]>::to_vec);
        self.definitions.push((owned, prompt.cloned()));
        Ok(self)
    }
}
