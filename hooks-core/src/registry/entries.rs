//! Resolves the entries of lists to hooks and their parameters.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::Snapshot;
use super::check::SNAKE_CASE;
use crate::context::Bound;
use crate::diagnostics::{ListOwner, Problem, ProblemKind, at};
use crate::hook::Hook;
use crate::id::HookId;
use crate::scope::HookUse;
use crate::text::nearest_names;

/// An entry of a list, resolved to a registered hook.
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    pub(super) owner: &'a ListOwner,
    /// The id of the hook.
    pub(super) id: &'a HookId,
    /// The name of the hook in the scope: its id, unless the entry gives another one.
    pub(super) name: &'a HookId,
    pub(super) entry: &'a HookUse,
}

impl Named<'_> {
    /// What is wrong with the entry, as the rest of a sentence that begins with the owner of its list.
    fn problem(&self, kind: ProblemKind, about: &HookId, text: impl fmt::Display) -> Problem {
        Problem::new(kind, about, format!("{}{} {text}", at(self.entry.position()), self.owner))
    }
}

/// Resolves a list to hooks with their entries. Adds problems to `problems`.
pub(super) fn named<'a>(
    snapshot: &'a Snapshot,
    owner: &'a ListOwner,
    list: &'a [HookUse],
    problems: &mut Vec<Problem>,
) -> Vec<Named<'a>> {
    let mut seen: HashMap<&HookId, &HookUse> = HashMap::new();
    let mut hooks = Vec::new();
    for entry in list {
        let id = match snapshot.id_of(entry) {
            Ok(id) => id,
            Err(problem) => {
                problems.push(problem);
                continue;
            }
        };
        let name = entry.alias.as_ref().unwrap_or(id);
        let named = Named { owner, id, name, entry };
        let Some(hook) = snapshot.hooks.get(id) else {
            let meant = suggestions(snapshot, id, problems.len());
            let text = format!(
                "names the hook `{id}`, which is not registered{meant} (if its crate is not linked, write `use that_crate as _;`; or its feature or its `cfg` is off)"
            );
            problems.push(named.problem(ProblemKind::UnknownHook, id, text));
            continue;
        };
        if let Some(plugin) = hook.plugin.as_ref().filter(|plugin| snapshot.installed(plugin.as_str()).is_none()) {
            let text = format!(
                "names {hook} of the plugin `{plugin}`, which is not installed; install it with `registry.install(\"{plugin}\")`"
            );
            problems.push(named.problem(ProblemKind::PluginMissing, id, text));
        }
        if entry.with.is_some() && hook.with().is_none() {
            let text = format!("passes parameters (`with`) to {hook}, which takes none; remove `with`");
            problems.push(named.problem(ProblemKind::NoParameters, id, text));
        }
        if let Some(why) = bad_alias(snapshot, named) {
            let text = format!("names the hook `{id}` as `{name}`, {why}");
            problems.push(named.problem(ProblemKind::BadId, id, text));
            continue;
        }
        if let Some(first) = seen.insert(name, entry) {
            let first = first.position().map(|place| format!(" (first at {place})")).unwrap_or_default();
            let alias = if hook.with().is_some() { ", or give one another name with `as`" } else { "" };
            let text = format!("names the hook `{name}` twice{first}; keep one{alias}");
            problems.push(named.problem(ProblemKind::NamedTwice, name, text));
            continue;
        }
        hooks.push(named);
    }
    hooks
}

/// Rejects a name that is not `snake_case`, and the id of another hook, which messages and constraints mean.
fn bad_alias(snapshot: &Snapshot, Named { id, name, .. }: Named<'_>) -> Option<String> {
    if name == id {
        None
    } else if !HookId::is_valid(name.as_str()) {
        Some(format!("but a name is {SNAKE_CASE}"))
    } else {
        let is_id = snapshot.hooks.contains_key(name);
        is_id.then(|| "which is the id of another hook; choose another name".to_owned())
    }
}

/// Rejects a name that an earlier list gave to another hook.
pub(super) fn named_otherwise(earlier: &HookId, named: Named<'_>) -> Option<Problem> {
    let Named { id, name, .. } = named;
    (earlier != id).then(|| {
        let text =
            format!("names the hook `{id}` as `{name}`, but the app's list names `{earlier}` so; choose another name");
        named.problem(ProblemKind::NamedTwice, name, text)
    })
}

/// Parses the parameters of one entry.
pub(super) fn parameters(hook: &Hook, named: Named<'_>) -> Result<Option<Bound>, Problem> {
    let with = named.entry.with.as_ref();
    let bound = hook.with().map(|spec| spec.parse(with)).transpose();
    bound.map_err(|cause| {
        let text = match (with, named.owner) {
            (Some(_), _) => format!("passes invalid parameters (`with`) to {hook}: {cause}"),
            (None, ListOwner::Plugin(_)) => format!(
                "names {hook} without its required parameters (`with`): {cause}; a plugin has none to pass: name the hook in a list too, with `with`"
            ),
            (None, _) => format!("names {hook} without its required parameters (`with`): {cause}"),
        };
        named.problem(ProblemKind::BadParameters, &hook.id, text)
    })
}

/// Rejects parameters for a hook that the app's list names already; they would be ignored silently.
pub(super) fn parameters_of_app(hook: &Hook, named: Named<'_>) -> Option<Problem> {
    (named.entry.with.is_some() && hook.with().is_some()).then(|| {
        let text = format!(
            "passes parameters (`with`) to {hook}, but the app's list names it already and takes precedence; remove `with`, or remove the hook from the app's list"
        );
        named.problem(ProblemKind::ParametersOfApp, &hook.id, text)
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
    scope_list: &[Named<'_>],
    always: &[Named<'_>],
    problems: &mut Vec<Problem>,
) {
    let of_app: HashSet<&HookId> = always.iter().map(|named| named.name).collect();
    for named in scope_list.iter().filter(|named| !of_app.contains(named.name)) {
        let Some(hook) = snapshot.hooks.get(named.id) else { continue };
        let outside = hook.bindings.iter().map(|binding| binding.kind).find(|kind| kind.outside_turn);
        problems.extend(outside.map(|kind| {
            let text = format!(
                "names {hook}, but `{}` fires outside of turns, where only the app's list applies; move it there",
                kind.name
            );
            named.problem(ProblemKind::OutsideTurn, named.id, text)
        }));
    }
}
