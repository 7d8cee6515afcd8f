//! The state of a registry at one moment.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::check::check_members;
use crate::context::ConversationStates;
use crate::detached::{BackgroundSink, Tasks};
use crate::diagnostics::{Problem, ProblemKind};
use crate::hook::Hook;
use crate::id::HookId;
use crate::overrides::Changes;
use crate::plugin::{Installed, PluginEntry};
use crate::record::Observer;
use crate::scope::{AppDef, HookName, HookRef, HookUse};
use crate::source::{Item, Origin};
use crate::text::nearest_names;

/// The state from which sets are made.
#[derive(Clone, Default)]
pub(crate) struct Snapshot {
    pub(crate) hooks: HashMap<HookId, Arc<Hook>>,
    /// The hooks that the app disabled.
    pub(crate) disabled: HashSet<HookId>,
    pub(super) functions: HashMap<Item, HookId>,
    pub(crate) app: AppDef,
    pub(crate) observers: Arc<[Arc<dyn Observer>]>,
    /// In order of installation.
    pub(super) plugins: Vec<Installed>,
    /// The merged overrides by hook.
    pub(super) overrides: Arc<HashMap<HookId, Changes>>,
    /// The limit for nested dispatches, if the app sets one.
    pub(super) depth_limit: Option<usize>,
    pub(super) revision: u64,
    /// The detached and background runs, shared by all snapshots of a registry.
    pub(crate) tasks: Arc<Tasks>,
    /// The sink for background jobs.
    pub(crate) sink: Option<Arc<dyn BackgroundSink>>,
    /// The states of conversations and turns, shared by all snapshots of a registry.
    pub(crate) conversations: Arc<ConversationStates>,
}

impl Snapshot {
    pub(super) fn add_linked(&mut self, hook: Hook) -> Vec<Problem> {
        let plugin = hook.plugin.clone().or_else(|| plugin_of(hook.origin));
        let problems = check_members(&hook);
        let added = self.add(&Arc::new(Hook { plugin, ..hook }));
        problems.into_iter().chain(added.err()).collect()
    }

    pub(super) fn add(&mut self, hook: &Arc<Hook>) -> Result<(), Problem> {
        if let Some(present) = self.hooks.get(&hook.id) {
            // Both copies are one hook, which keeps its state, disabled or not.
            if !hook.is_copy_of(present) {
                return Err(duplicate_id(&hook.id, present.origin, hook.origin));
            }
        } else {
            self.hooks.insert(hook.id.clone(), Arc::clone(hook));
        }
        self.functions.extend(hook.functions().map(|function| (function, hook.id.clone())));
        Ok(())
    }

    /// The hooks of each plugin, installed or not.
    pub(super) fn members(&self) -> BTreeMap<&HookId, BTreeSet<&HookId>> {
        let mut members: BTreeMap<&HookId, BTreeSet<&HookId>> = BTreeMap::new();
        for hook in self.hooks.values() {
            if let Some(plugin) = &hook.plugin {
                members.entry(plugin).or_default().insert(&hook.id);
            }
        }
        members
    }

    /// The id of the hook that an entry names. Whether there is a hook with that id is another question.
    pub(super) fn id_of<'a>(&'a self, entry: &'a HookUse) -> Result<&'a HookId, Problem> {
        match &entry.name {
            HookName::Id(id) => Ok(id),
            HookName::Function(function) => self.id_of_function(function),
        }
    }

    pub(super) fn id_of_function(&self, function: &HookRef) -> Result<&HookId, Problem> {
        self.functions.get(&(function.function)()).ok_or_else(|| not_a_hook(function))
    }

    /// The hook with this id.
    pub(super) fn known(&self, id: &str) -> Result<&Arc<Hook>, Problem> {
        self.hooks.get(id).ok_or_else(|| {
            let meant = nearest_names(id, self.hooks.keys().map(HookId::as_str));
            Problem::new(ProblemKind::NoSuchHook, id, format!("there is no hook `{id}`{meant}"))
        })
    }
}

/// The plugin that the hook's crate declares.
fn plugin_of(origin: Origin) -> Option<HookId> {
    let declared = inventory::iter::<PluginEntry>.into_iter().filter(|entry| entry.has(origin));
    declared.map(|entry| HookId::from_static(entry.name)).min()
}

pub(super) fn not_a_hook(function: &HookRef) -> Problem {
    let (path, file, line) = (function.path.replace(' ', ""), function.file, function.line);
    let text = format!(
        "{file}:{line}: `{path}` in `hooks![…]` is not a hook; put `#[hook(id = \"…\", kind = …)]` on the function"
    );
    Problem::new(ProblemKind::NotAHook, path, text)
}

pub(super) fn duplicate_id(id: &HookId, first: Origin, second: Origin) -> Problem {
    let text = format!(
        "two hooks have the id `{id}`: {first} and {second}; rename one, or call `replace` if the second is to replace the first"
    );
    Problem::new(ProblemKind::DuplicateId, id, text)
}
