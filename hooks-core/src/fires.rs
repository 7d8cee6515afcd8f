//! What a program fires, as declared with `fires![…]`.

use std::any::TypeId;
use std::collections::HashSet;
use std::fmt;

use crate::diagnostics::{Finding, FindingKind};
use crate::hook::{Binding, Hook, Only};
use crate::kind::KindDescriptor;
use crate::source::Origin;

/// One declared kind.
#[derive(Clone, Copy)]
pub struct Fires {
    /// The kind.
    pub kind: &'static KindDescriptor,
    /// Where it is declared.
    pub origin: Origin,
    /// The fields of the event that the program never fills.
    pub never: &'static [&'static str],
    /// Whether a step of `protocol` fires it, and fills its fields.
    pub by_step: bool,
}

inventory::collect!(Fires);

impl Fires {
    /// Whether no declaration of the kind fills the field.
    pub(crate) fn never_fills(kind: &KindDescriptor, field: &str) -> bool {
        let mut of_kind = inventory::iter::<Self>.into_iter().filter(|fires| fires.kind == kind).peekable();
        of_kind.peek().is_some() && of_kind.all(|fires| fires.never.contains(&field))
    }

    /// The declared kinds, each once, sorted by name and position.
    pub(crate) fn declared() -> Vec<Self> {
        let mut all: Vec<Self> = inventory::iter::<Self>.into_iter().copied().collect();
        all.sort_by_key(|fires| (fires.kind.name, fires.origin));
        let mut seen: HashSet<TypeId> = HashSet::new();
        all.retain(|fires| seen.insert((fires.kind.event)()));
        all
    }
}

impl fmt::Debug for Fires {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.kind.name, self.origin)
    }
}

/// The filters on fields that are never filled. They match only the empty text.
pub(crate) fn never_filled<'a>(hooks: impl Iterator<Item = &'a Hook>) -> Vec<Finding> {
    let bindings = hooks.flat_map(|hook| hook.bindings.iter().map(move |binding| (hook, binding)));
    let filters = bindings
        .flat_map(|(hook, binding)| binding.filters().map(move |(field, only)| (hook, binding.kind, field, only)));
    let finding = |(hook, kind, field, only): (&Hook, &KindDescriptor, _, &Only)| {
        let (at, patterns) = (kind.name, &only.patterns);
        let text = format!(
            "{hook} runs at `{at}` only if `{field}` is `{patterns}`, but this program declares with `fires!` that it never fills `{field}`; fill it, or remove the filter"
        );
        Finding::new(FindingKind::NeverFilled, &hook.id, text)
    };
    filters.filter(|(_, kind, field, _)| Fires::never_fills(kind, field)).map(finding).collect()
}

/// The public path of a type: built-in kinds are re-exported from `hook_sdk::kinds`.
fn public(path: &'static str) -> String {
    match path.strip_prefix("hook_sdk::kinds::").and_then(|rest| rest.rsplit_once("::")) {
        Some((_module, name)) => format!("hook_sdk::kinds::{name}"),
        None => path.to_owned(),
    }
}

/// The hooks at kinds that are never fired, except those that `otherwise` accepts. Empty if the program declares
/// nothing, because then nothing is known.
pub(crate) fn never_fired<'a>(
    hooks: impl Iterator<Item = &'a Hook>,
    otherwise: fn(&Hook, &Binding) -> bool,
) -> Vec<Finding> {
    let declared = Fires::declared();
    if declared.is_empty() {
        return Vec::new();
    }
    let fired: HashSet<TypeId> = declared.iter().map(|fires| (fires.kind.event)()).collect();
    let names = declared.iter().map(|fires| format!("`{}`", fires.kind.name)).collect::<Vec<_>>().join(", ");
    let unfired = |hook: &'a Hook| {
        let bindings = hook.bindings.iter().filter(|binding| !otherwise(hook, binding)).map(|binding| binding.kind);
        bindings.filter(|kind| !fired.contains(&(kind.event)())).collect::<Vec<_>>()
    };
    hooks
        .map(|hook| (hook, unfired(hook)))
        .filter(|(_, kinds)| !kinds.is_empty())
        .map(|(hook, kinds)| {
            let id = &hook.id;
            let list = |of: fn(&KindDescriptor) -> String| kinds.iter().map(|kind| of(kind)).collect::<Vec<_>>().join(", ");
            let (at, paths) = (list(|kind| format!("`{}`", kind.name)), list(|kind| public((kind.path)())));
            if hook.bindings.len() == 1 {
                let text = format!(
                    "{hook} runs at {at}, which this program never fires; fire it and declare it with `hook_sdk::fires![{paths}]`, or move the hook to a kind that is fired: {names}"
                );
                return Finding::new(FindingKind::NeverFired, id, text);
            }
            // Accepted with its kinds: that a mask does nothing at one of them says nothing about the others.
            let about = format!("{id} at {}", list(|kind| kind.name.to_owned()));
            let text = format!(
                "{hook} also runs at {at}, which this program never fires; fire each and declare it with `hook_sdk::fires![{paths}]`"
            );
            Finding::new(FindingKind::NeverFired, &about, text)
        })
        .collect()
}
