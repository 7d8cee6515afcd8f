//! What is valid but suspicious in one set.

use super::Snapshot;
use super::entries::Named;
use crate::diagnostics::{Finding, FindingKind, ListOwner};
use crate::failure::OnFailure;
use crate::hook::{Binding, Hook};
use crate::plan::{Disabled, Selection, Selections};
use crate::plugin::PluginState;
use crate::verdict::Semantics;

/// A finding for a scope in which no hook runs.
pub(super) fn no_hooks(owner: &ListOwner, declared: bool) -> Finding {
    if declared {
        let text = format!("the list of {owner} is empty, and so is the app's, so no hook runs");
        return Finding::new(FindingKind::EmptyScope, owner, text);
    }
    let text = format!(
        "neither {owner} nor the app names a hook, so no hook runs; add a list, such as `\"hooks\": [\"an_id\"]`"
    );
    Finding::new(FindingKind::UndeclaredScope, owner, text)
}

/// A finding for a hook that is in the set but does not run. Hooks of a failed plugin are reported with the plugin.
pub(super) fn disabled(selection: &Selection, owner: &ListOwner) -> Option<Finding> {
    let by = match selection.disabled.as_ref()? {
        Disabled::App => String::new(),
        Disabled::Layer(layer) => format!(" by `{layer}`"),
        Disabled::Plugin(_) => return None,
    };
    let hook = &selection.hook;
    let text = format!("{owner} or the app names {hook}, which is disabled{by} and skipped");
    Some(Finding::new(FindingKind::DisabledHook, &hook.id, text))
}

pub(super) fn failed_plugins(snapshot: &Snapshot, agent: &str) -> impl Iterator<Item = Finding> {
    snapshot.plugins.iter().filter(move |installed| installed.is_for(agent)).filter_map(|installed| {
        let PluginState::Failed(reason) = &installed.state else { return None };
        let plugin = &installed.plugin.name;
        let text = format!("the guards of the plugin `{plugin}` fail closed, and its other hooks do not run: {reason}");
        Some(Finding::new(FindingKind::PluginFailed, plugin, text))
    })
}

/// Finds the agent's gates that the prompt's list omits, and other hooks that fail closed or are locked.
pub(super) fn dropped_guards(
    snapshot: &Snapshot,
    selections: &Selections,
    agent_list: &[Named<'_>],
    agent: &ListOwner,
    prompt: &ListOwner,
) -> Vec<Finding> {
    let dropped = agent_list.iter().filter(|named| selections.named(named.name).is_none());
    dropped
        .filter_map(|Named { id, name, .. }| {
            let (kind, what) = guards_at(snapshot.hooks.get(*id)?, |_| true)?;
            let text = format!(
                "{prompt} omits the {what} of {agent}, because its list replaces the agent's; add it to the prompt's list or to the app's"
            );
            Some(Finding::new(kind, format!("{name} in {prompt}"), text))
        })
        .collect()
}

/// What must not be omitted silently of a hook: a gate, or a hook that is locked or fails closed. `counts` says which of
/// its bindings count.
pub(super) fn guards_at(hook: &Hook, counts: impl Fn(&Binding) -> bool) -> Option<(FindingKind, String)> {
    let (id, origin) = (&hook.id, hook.origin);
    let bindings: Vec<&Binding> = hook.bindings.iter().filter(|binding| counts(binding)).collect();
    if bindings.iter().any(|binding| binding.kind.semantics == Semantics::Gate) {
        return Some((FindingKind::DroppedGate, format!("gate `{id}` ({origin})")));
    }
    let declared = bindings.iter().filter(|binding| binding.options.on_failure.is_some());
    let mut policies = declared.map(|binding| binding.policy()).filter(|policy| *policy != OnFailure::Continue);
    let why = match policies.next() {
        _ if hook.locked && !bindings.is_empty() => "locked".to_owned(),
        policy => format!("on_failure = {}", policy?),
    };
    Some((FindingKind::DroppedGuard, format!("hook `{id}` ({origin}, `{why}`)")))
}
