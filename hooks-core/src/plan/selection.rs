//! The hooks that lists and plugins select, from the scope to the run.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::context::PerHook;
use crate::hook::Hook;
use crate::id::HookId;

/// A hook that a list or a plugin selects.
pub(crate) struct Selection {
    /// The hook with the operator's overrides applied.
    pub(crate) hook: Arc<Hook>,
    /// What the overrides changed, for the plan.
    pub(crate) overridden: Option<String>,
    pub(crate) disabled: Option<Disabled>,
    /// The position of the entry that names the hook, if known.
    pub(crate) place: Option<String>,
    /// The part of the context that is only for this hook.
    pub(crate) hook_cx: Option<Arc<PerHook>>,
    /// The parameters that the list passes, as JSON.
    pub(crate) given: Option<Value>,
}

/// Why a selected hook does not run.
#[derive(Clone, Debug)]
pub(crate) enum Disabled {
    /// The app disabled it.
    App,
    /// A layer of overrides disabled it.
    Layer(Arc<str>),
    /// Its plugin failed to start.
    Plugin(HookId),
}

impl fmt::Display for Disabled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::App => f.write_str("disabled"),
            Self::Layer(layer) => write!(f, "disabled by {layer}"),
            Self::Plugin(plugin) => write!(f, "its plugin {plugin} failed to start"),
        }
    }
}

/// The selections of a set in the order of the lists, each hook once.
#[derive(Default)]
pub(crate) struct Selections {
    all: Vec<Selection>,
    positions: HashMap<HookId, usize>,
}

impl Selections {
    pub(crate) fn push(&mut self, selection: Selection) {
        self.positions.insert(selection.hook.id.clone(), self.all.len());
        self.all.push(selection);
    }

    pub(crate) fn get(&self, id: &str) -> Option<&Selection> {
        self.positions.get(id).map(|position| &self.all[*position])
    }

    pub(crate) fn contains(&self, id: &str) -> bool {
        self.positions.contains_key(id)
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = &HookId> {
        self.all.iter().map(|selection| &selection.hook.id)
    }

    pub(crate) fn as_slice(&self) -> &[Selection] {
        &self.all
    }
}
