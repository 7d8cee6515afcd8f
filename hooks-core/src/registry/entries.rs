//! Resolves the entries of lists to hooks and their parameters.

use std::collections::{HashMap, HashSet};

use super::Snapshot;
use super::check::SNAKE_CASE;
use crate::context::Bound;
use crate::diagnostics::{ListOwner, Problem, ProblemKind, at};
use crate::hook::Hook;
use crate::id::HookId;
use crate::scope::{HookName, HookUse};
use crate::text::nearest_names;

/// An entry of a list, resolved to a registered hook.
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    /// The id of the hook.
    pub(super) id: &'a HookId,
    /// The name of the hook in the scope: its id, unless the entry gives another one.
    pub(super) name: &'a HookId,
    pub(super) entry: &'a HookUse,
}

/// Resolves a list to hooks with their entries. Adds problems to `problems`.
pub(super) fn named<'a>(
    snapshot: &'a Snapshot,
    owner: &ListOwner,
    list: &'a [HookUse],
    problems: &mut Vec<Problem>,
) -> Vec<Named<'a>> {
    let mut seen: HashMap<&HookId, &HookUse> = HashMap::new();
    let mut hooks = Vec::new();
    for entry in list {
        let id = match &entry.name {
            HookName::Id(id) => id,
            HookName::Function(function) => match snapshot.id_of(function) {
                Ok(id) => id,
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            },
        };
        let Some(hook) = snapshot.hooks.get(id) else {
            let (at, meant) = (at(entry.position()), suggestions(snapshot, id, problems.len()));
            let text = format!(
                "{at}{owner} names the hook `{id}`, which is not registered{meant} (if its crate is not linked, write `use that_crate as _;`; or its feature or its `cfg` is off)"
            );
            problems.push(Problem::new(ProblemKind::UnknownHook, id, text));
            continue;
        };
        let place = || at(entry.position());
        if let Some(plugin) = hook.plugin.as_ref().filter(|plugin| snapshot.installed(plugin.as_str()).is_none()) {
            let text = format!(
                "{}{owner} names {hook} of the plugin `{plugin}`, which is not installed; install it with `registry.install(\"{plugin}\")`",
                place()
            );
            problems.push(Problem::new(ProblemKind::PluginMissing, id, text));
        }
        if entry.with.is_some() && hook.with().is_none() {
            let at = place();
            let text = format!("{at}{owner} passes parameters (`with`) to {hook}, which takes none; remove `with`");
            problems.push(Problem::new(ProblemKind::NoParameters, id, text));
        }
        let name = entry.alias.as_ref().unwrap_or(id);
        if let Some(problem) = bad_alias(snapshot, owner, id, entry) {
            problems.push(problem);
            continue;
        }
        if let Some(first) = seen.insert(name, entry) {
            let first = first.position().map(|place| format!(" (first at {place})")).unwrap_or_default();
            let alias = if hook.with().is_some() { ", or give one another name with `as`" } else { "" };
            let text = format!("{}{owner} names the hook `{name}` twice{first}; keep one{alias}", place());
            problems.push(Problem::new(ProblemKind::NamedTwice, name, text));
            continue;
        }
        hooks.push(Named { id, name, entry });
    }
    hooks
}

/// Rejects a name that is not `snake_case`, and the id of another hook, which messages and constraints mean.
fn bad_alias(snapshot: &Snapshot, owner: &ListOwner, id: &HookId, entry: &HookUse) -> Option<Problem> {
    let name = entry.alias.as_ref()?;
    let why = if !HookId::is_valid(name.as_str()) {
        format!("but a name is {SNAKE_CASE}")
    } else if name != id && snapshot.hooks.contains_key(name) {
        "which is the id of another hook; choose another name".to_owned()
    } else {
        return None;
    };
    let text = format!("{}{owner} names the hook `{id}` as `{name}`, {why}", at(entry.position()));
    Some(Problem::new(ProblemKind::BadId, id, text))
}

/// Rejects a name that an earlier list gave to another hook.
pub(super) fn named_otherwise(
    earlier: &HookId,
    owner: &ListOwner,
    Named { id, name, entry }: Named<'_>,
) -> Option<Problem> {
    (earlier != id).then(|| {
        let at = at(entry.position());
        let text = format!(
            "{at}{owner} names the hook `{id}` as `{name}`, but the app's list names `{earlier}` so; choose another name"
        );
        Problem::new(ProblemKind::NamedTwice, name, text)
    })
}

/// Parses the parameters of one entry.
pub(super) fn parameters(hook: &Hook, owner: &ListOwner, entry: &HookUse) -> Result<Option<Bound>, Problem> {
    let bound = hook.with().map(|spec| spec.parse(entry.with.as_ref())).transpose();
    bound.map_err(|cause| {
        let at = at(entry.position());
        let text = match entry.with {
            Some(_) => format!("{at}{owner} passes invalid parameters (`with`) to {hook}: {cause}"),
            None => {
                let plugin = matches!(owner, ListOwner::Plugin(_));
                let help =
                    if plugin { "; a plugin has none to pass: name the hook in a list too, with `with`" } else { "" };
                format!("{at}{owner} names {hook} without its required parameters (`with`): {cause}{help}")
            }
        };
        Problem::new(ProblemKind::BadParameters, &hook.id, text)
    })
}

/// Rejects parameters for a hook that the app's list names already; they would be ignored silently.
pub(super) fn parameters_of_app(hook: &Hook, owner: &ListOwner, entry: &HookUse) -> Option<Problem> {
    (entry.with.is_some() && hook.with().is_some()).then(|| {
        let at = at(entry.position());
        let text = format!(
            "{at}{owner} passes parameters (`with`) to {hook}, but the app's list names it already and takes precedence; remove `with`, or remove the hook from the app's list"
        );
        Problem::new(ProblemKind::ParametersOfApp, &hook.id, text)
    })
}

/// Suggests ids similar to an unknown one. Only for the first few problems, because each suggestion scans all hooks.
fn suggestions(snapshot: &Snapshot, id: &HookId, problems: usize) -> String {
    const SUGGESTED: usize = 20;
    let known = snapshot.hooks.keys().map(HookId::as_str);
    if problems < SUGGESTED { nearest_names(id.as_str(), known) } else { String::new() }
}

/// Rejects hooks of kinds outside of turns in other lists than the app's: they would never run.
pub(super) fn refuse_outside_turn(
    snapshot: &Snapshot,
    owner: &ListOwner,
    scope_list: &[Named<'_>],
    always: &[(&ListOwner, Named<'_>)],
    problems: &mut Vec<Problem>,
) {
    let of_app: HashSet<&HookId> = always.iter().map(|(_, named)| named.name).collect();
    for Named { id, entry, .. } in scope_list.iter().filter(|named| !of_app.contains(named.name)) {
        let Some(hook) = snapshot.hooks.get(*id) else { continue };
        let outside = hook.bindings.iter().map(|binding| binding.kind).find(|kind| kind.outside_turn);
        if let Some(kind) = outside {
            let (at, kind) = (at(entry.position()), kind.name);
            let text = format!(
                "{at}{owner} names {hook}, but `{kind}` fires outside of turns, where only the app's list applies; move it there"
            );
            problems.push(Problem::new(ProblemKind::OutsideTurn, id, text));
        }
    }
}
