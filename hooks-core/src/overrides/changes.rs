//! The merged changes to one hook, and whether it accepts them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{FIELDS, Override, was};
use crate::diagnostics::{Problem, ProblemKind};
use crate::hook::{Hook, OptionProblem};

/// The change of one field, with the layer and the position that made it.
#[derive(Clone, Debug)]
pub(super) struct Change {
    /// Sets only this field.
    pub(super) field: Override,
    pub(super) layer: Arc<str>,
    /// The position for messages.
    pub(super) at: String,
}

/// The last change of each field.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes(pub(super) BTreeMap<&'static str, Change>);

impl Changes {
    /// Returns the problems of applying the changes to the hook.
    pub(crate) fn check(&self, hook: &Hook) -> Vec<Problem> {
        self.0.iter().flat_map(|(field, change)| change.check(field, hook)).collect()
    }

    /// Whether it changes more than `enabled`.
    pub(crate) fn moves(&self) -> bool {
        self.0.keys().any(|field| *field != "enabled")
    }

    /// The layer that disables the hook.
    pub(crate) fn disabled_by(&self) -> Option<Arc<str>> {
        self.0.get("enabled").filter(|last| last.field.enabled == Some(false)).map(|last| Arc::clone(&last.layer))
    }

    pub(crate) fn apply(&self, mut hook: Hook) -> Hook {
        for change in self.0.values() {
            hook = hook.with_options(|options| change.field.apply(options));
        }
        hook
    }

    /// Describes the changes to the hook's options, with the layers that made them.
    pub(crate) fn describe(&self, hook: &Hook) -> String {
        let changes = FIELDS.iter().filter_map(|(field, _)| {
            let layer = &self.0.get(field)?.layer;
            let was: BTreeSet<String> = hook.bindings.iter().filter_map(|binding| was(field, binding)).collect();
            let was = was.into_iter().collect::<Vec<_>>().join(" and ");
            (!was.is_empty()).then(|| format!("{} from {was} by {layer}", field.replace('_', " ")))
        });
        changes.collect::<Vec<_>>().join(", ")
    }
}

impl Change {
    /// Applies the change to a copy of the hook, which then makes its own checks.
    fn check(&self, field: &str, hook: &Hook) -> Vec<Problem> {
        if hook.locked {
            let text = format!("{hook} is locked, so `{field}` cannot be overridden; remove `{field}`");
            return vec![bad_override(&self.at, &text)];
        }
        let changed = hook.clone().with_options(|options| self.field.apply(options));
        let before = hook.option_problems();
        let new = changed.option_problems().into_iter().filter(|problem| !before.contains(problem));
        let text = |OptionProblem { option, problem }| format!("`{option}` of {hook} {problem}");
        new.map(|problem| bad_override(&self.at, &text(problem))).collect()
    }
}

/// A problem with an override, at a file position or in a named layer.
pub(super) fn bad_override(at: &str, problem: &str) -> Problem {
    Problem::new(ProblemKind::BadOverride, at, format!("{at}: {problem}"))
}
