//! Builds one set: the hooks that its lists select, and what is wrong with them.

use std::sync::Arc;

use super::Snapshot;
use super::entries::{Named, parameters};
use crate::context::depth;
use crate::diagnostics::{ConfigError, Finding, ListOwner, Problem};
use crate::engine::Engine;
use crate::failure::OnFailure;
use crate::hook::{Binding, Hook};
use crate::plan::{Disabled, HookSet, Selection, Selections, SetParts};
use crate::plugin::is_lifecycle;

/// Which bindings of the hooks a set includes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// All except the start and stop of plugins.
    Scope,
    /// Only the start and stop of one plugin.
    Lifecycle,
    /// Like `Scope`, without what is in force for every agent, so that requirements may be in force elsewhere.
    Alone,
    /// All of them, for a hook in a trial.
    All,
}

impl Part {
    pub(super) fn has(self, hook: &Hook, binding: &Binding) -> bool {
        self == Self::All || is_lifecycle(hook, binding) == (self == Self::Lifecycle)
    }
}

pub(super) struct SetBuilder<'a> {
    pub(super) snapshot: &'a Snapshot,
    pub(super) part: Part,
    pub(super) selections: Selections,
    pub(super) problems: Vec<Problem>,
}

impl<'a> SetBuilder<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, part: Part) -> Self {
        Self { snapshot, part, selections: Selections::default(), problems: Vec::new() }
    }

    pub(super) fn app_owner(&self) -> ListOwner {
        ListOwner::App(self.snapshot.app.name.clone())
    }

    /// Selects a hook that is registered and not selected yet.
    pub(super) fn select(&mut self, named: Named<'_>) {
        let Named { id, name, entry, .. } = named;
        let Some(registered) = self.snapshot.hooks.get(id) else { return };
        let with = parameters(registered, named).unwrap_or_else(|problem| {
            // A hook's parameters come from the scopes in which it runs; `init` runs without required ones.
            if self.part != Part::Lifecycle {
                self.problems.push(problem);
            }
            None
        });
        let (hook, overridden) = self.snapshot.overridden(registered);
        let by_app = self.snapshot.disabled.contains(id).then_some(Disabled::App);
        let disabled = by_app.or_else(|| self.snapshot.disabled_by(&hook).map(Disabled::Layer));
        let hook_cx = hook.context_of_its_own(with);
        let (place, given) = (entry.position(), entry.with.clone());
        let hook = if name == id { hook } else { Arc::new(Hook { id: name.clone(), ..Hook::clone(&hook) }) };
        let mut selection = Selection { id: id.clone(), hook, overridden, disabled, place, hook_cx, given };
        if self.part != Part::Lifecycle {
            self.fail_closed(&mut selection);
        }
        self.selections.push(selection);
    }

    /// Applies the state of the hook's plugin: if the plugin failed to start, its guards fail wherever they would run,
    /// and its other hooks are disabled. A guard must not be open because its setup failed.
    fn fail_closed(&self, selection: &mut Selection) {
        let hook = &selection.hook;
        let Some(plugin) = &hook.plugin else { return };
        let Some(reason) = self.snapshot.closed(plugin.as_str()) else { return };
        let reason = reason.into();
        let guards = hook
            .bindings
            .iter()
            .filter(|binding| !is_lifecycle(hook, binding) && binding.policy() != OnFailure::Continue);
        let bindings: Vec<_> =
            guards.filter_map(|binding| Some((Engine::of_binding(binding)?.failing)(binding, &reason))).collect();
        if bindings.is_empty() {
            selection.disabled = Some(Disabled::Plugin(plugin.clone()));
        } else {
            selection.hook = Arc::new(Hook { bindings, ..Hook::clone(hook) });
        }
    }

    /// Builds the set. Findings about its order come before `findings`.
    ///
    /// # Errors
    /// All problems so far, and those of the order.
    pub(super) fn finish(
        mut self,
        agent: &str,
        owner: ListOwner,
        findings: Vec<Finding>,
    ) -> Result<HookSet, ConfigError> {
        let (entries, of_order) = self.plan_kinds();
        ConfigError::unless_empty(std::mem::take(&mut self.problems))?;
        let parts = SetParts {
            app: self.app_owner(),
            agent: agent.to_owned(),
            owner,
            findings: of_order.into_iter().chain(findings).collect(),
            registered: self.snapshot.hooks.len(),
            revision: self.snapshot.revision,
            observers: Arc::clone(&self.snapshot.observers),
            conversations: Arc::clone(&self.snapshot.conversations),
            depth_limit: self.snapshot.depth_limit.unwrap_or(depth::DEFAULT_LIMIT),
            selections: self.selections,
        };
        Ok(HookSet::new(entries, parts))
    }
}
