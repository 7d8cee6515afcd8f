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
    /// The id under which the hook is registered.
    pub(crate) id: HookId,
    /// The hook with its name in this scope, and with the operator's overrides applied.
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

/// The selections of a set in the order of the lists, each name once.
#[derive(Default)]
pub(crate) struct Selections {
    pub(crate) all: Vec<Selection>,
    /// By the name of the hook.
    positions: HashMap<HookId, usize>,
    /// By the id of the hook, for hooks with another name.
    aliased: HashMap<HookId, usize>,
}

impl Selections {
    pub(crate) fn push(&mut self, selection: Selection) {
        let position = self.all.len();
        self.positions.insert(selection.hook.id.clone(), position);
        if selection.id != selection.hook.id {
            self.aliased.insert(selection.id.clone(), position);
        }
        self.all.push(selection);
    }

    /// The hook with this name.
    pub(crate) fn named(&self, name: &HookId) -> Option<&Selection> {
        self.positions.get(name).map(|position| &self.all[*position])
    }

    /// A hook with this id, whatever its name.
    pub(crate) fn get(&self, id: &str) -> Option<&Selection> {
        self.positions.get(id).or_else(|| self.aliased.get(id)).map(|position| &self.all[*position])
    }
}
