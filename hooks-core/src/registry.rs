//! Every hook a program knows, and the snapshots that sets are made from.

mod audit;
mod check;
mod constraints;
mod detached;
mod entries;
mod overridden;
mod patterns;
mod plans;
mod plugins;
mod resolve;
mod snapshot;
mod trial;

use std::any::TypeId;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock, Weak};

pub(crate) use detached::WeakRegistry;
use snapshot::not_a_hook;
pub(crate) use snapshot::{DepthLimit, Registered, Snapshot};

use crate::context::depth;
use crate::diagnostics::ConfigError;
use crate::diagnostics::{Finding, FindingKind, HarnessFacts};
use crate::fires::{Fires, never_filled, never_fired};
use crate::hook::{Hook, HookSpec};
use crate::id::HookId;
use crate::kind;
use crate::kind::KindDescriptor;
use crate::plan::HookSet;
use crate::record::Observer;
use crate::scope::{AppDef, Definition, HookName, HookRef, HookUse, PromptDef};

/// An observer of a registry, to remove it by. Made by [`Registry::observe`].
#[derive(Clone, Debug)]
pub struct ObserverId(Weak<dyn Observer>);

/// Every hook a program knows.
///
/// Cloning gives another handle to the same registry. A change makes a new snapshot: sets made before go on as they are,
/// so a turn sees one set from its start to its end.
///
/// ```standalone_crate
/// use hooks_core::kinds::*;
/// use hooks_core::prelude::*;
///
/// #[hook(id = "shout", kind = before_create_message)]
/// fn shout(row: &mut Message) {
///     row.rewrite_text(|text| Some(text.to_uppercase()));
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = Registry::discover()?;
/// let hooks = registry.scope(&AgentDef::new("support").hooks(hooks![shout]), None)?;
/// let fired = hooks.fire_blocking(&HookContext::new(), &BeforeCreateMessage::new(), Message::new(Role::User, "hello"))?;
/// assert_eq!(fired.subject.text(), "HELLO");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Registry {
    snapshot: Arc<RwLock<Arc<Snapshot>>>,
}

impl Registry {
    /// All hooks that are linked into this program, whatever module or crate they are in.
    ///
    /// A dependency that no code names is not linked, and its hooks with it: write `use that_crate as _;`.
    ///
    /// # Errors
    /// Everything that is wrong at once: ids that two hooks have, functions in `hooks![…]` that are no hooks.
    pub fn discover() -> Result<Self, ConfigError> {
        let mut snapshot = Snapshot::default();
        let mut problems = plugins::declared_twice();
        let mut specs: Vec<&HookSpec> = inventory::iter::<HookSpec>.into_iter().collect();
        // Link order differs from build to build; messages must not.
        specs.sort_by_key(|spec| (spec.id, spec.origin));
        for spec in specs {
            problems.extend(snapshot.add_spec(spec).err());
        }
        let mut named: Vec<&HookRef> = inventory::iter::<HookRef>.into_iter().collect();
        named.sort_by_key(|named| (named.file, named.line, named.path));
        problems.extend(named.into_iter().filter_map(|function| snapshot.id_of(function).err()));
        ConfigError::unless_empty(problems)?;
        Ok(Self::from(snapshot))
    }

    /// No hooks, for tests: the link-time registry of a test binary holds the hooks of all its tests.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Adds the hooks that `hooks![…]` names.
    ///
    /// # Errors
    /// Everything that is wrong at once: functions that are no hooks, ids that are there already.
    pub fn with(self, functions: impl IntoIterator<Item = HookRef>) -> Result<Self, ConfigError> {
        let specs: HashMap<TypeId, &HookSpec> =
            inventory::iter::<HookSpec>.into_iter().map(|spec| ((spec.function)(), spec)).collect();
        // Before the lock: an iterator is code of the caller, which may use this registry.
        let functions: Vec<HookRef> = functions.into_iter().collect();
        let problems = self.edit(|snapshot| {
            let add = |function: HookRef| match specs.get(&(function.function)()) {
                Some(spec) => snapshot.add_spec(spec),
                None => Err(not_a_hook(&function)),
            };
            functions.into_iter().map(add).filter_map(Result::err).collect()
        });
        ConfigError::unless_empty(problems)?;
        Ok(self)
    }

    /// A registry with the hooks, lists and overrides of this one and without its observers, for what is tried beside it: what
    /// is changed in one of them is not in the other.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self::from(Snapshot { observers: Arc::default(), ..Snapshot::clone(&self.snapshot()) })
    }

    /// The app's list.
    pub fn app(&self) -> AppDef {
        self.snapshot().app.clone()
    }

    /// Sets the app's list, which is always in force.
    pub fn set_app(&self, app: AppDef) {
        self.edit(|snapshot| snapshot.app = app);
    }

    /// Adds a hook.
    ///
    /// # Errors
    /// Everything that the attribute would refuse, at once; or an id that another hook has (see
    /// [`replace`](Self::replace)).
    pub fn register(&self, hook: Hook) -> Result<(), ConfigError> {
        ConfigError::unless_empty(check::check(&hook))?;
        let hook = Arc::new(hook);
        self.edit(|snapshot| Ok(snapshot.add(&hook, None)?))
    }

    /// Puts a hook in the place of the one with its id. Whether that one was disabled goes over to it, and so do the plugin
    /// that it belongs to and what is overridden.
    ///
    /// # Errors
    /// [`NoSuchHook`](crate::diagnostics::ProblemKind::NoSuchHook) where there is none, or everything that the attribute
    /// would refuse; or overrides that are there and do not fit the new hook.
    pub fn replace(&self, hook: Hook) -> Result<(), ConfigError> {
        let hook = Arc::new(hook);
        let replaced = self.edit(|snapshot| {
            snapshot.known(hook.id.as_str())?;
            ConfigError::unless_empty(check::check(&hook))?;
            ConfigError::unless_empty(snapshot.overrides_of(&hook))?;
            let registered = snapshot.hooks.get_mut(&hook.id);
            Ok::<_, ConfigError>(registered.map(|registered| {
                // It stays with the plugin that the other belonged to.
                let plugin = registered.hook.plugin.clone();
                let hook = Arc::new(Hook { plugin, ..Hook::clone(&hook) });
                std::mem::replace(&mut registered.hook, hook)
            }))
        })?;
        drop(replaced);
        Ok(())
    }

    /// Leaves the hook out of sets made from now on. Scopes that name it skip it, and their records and audit say so.
    ///
    /// This is the app's own switch: it works on `locked` hooks too, and no override turns the hook on again.
    ///
    /// # Errors
    /// [`NoSuchHook`](crate::diagnostics::ProblemKind::NoSuchHook) where there is none.
    pub fn disable(&self, id: &str) -> Result<(), ConfigError> {
        self.set_enabled(id, false)
    }

    /// Undoes [`disable`](Self::disable) for sets made from now on.
    ///
    /// # Errors
    /// [`NoSuchHook`](crate::diagnostics::ProblemKind::NoSuchHook) where there is none.
    pub fn enable(&self, id: &str) -> Result<(), ConfigError> {
        self.set_enabled(id, true)
    }

    fn set_enabled(&self, id: &str, enabled: bool) -> Result<(), ConfigError> {
        self.edit(|snapshot| {
            snapshot.known(id)?;
            if let Some(registered) = snapshot.hooks.get_mut(id) {
                registered.enabled = enabled;
            }
            Ok(())
        })
    }

    /// How many dispatches may be within each other, where hooks fire hooks, in sets made from now on: 8 where nothing is
    /// said, at least 1, at most 64. One more is a [`DispatchError::TooDeep`](crate::DispatchError::TooDeep).
    pub fn set_depth_limit(&self, limit: usize) {
        self.edit(|snapshot| snapshot.depth_limit = DepthLimit(limit.clamp(1, depth::MOST)));
    }

    /// Gives `observer` the records of all dispatches of the sets made from now on.
    pub fn observe(&self, observer: impl Observer) -> ObserverId {
        let observer: Arc<dyn Observer> = Arc::new(observer);
        let id = ObserverId(Arc::downgrade(&observer));
        self.edit(|snapshot| {
            snapshot.observers = snapshot.observers.iter().cloned().chain([observer]).collect();
        });
        id
    }

    /// Takes an observer out of the sets made from now on. Returns whether it was there.
    ///
    /// ```
    /// use hooks_core::Registry;
    /// use hooks_core::record::Record;
    ///
    /// let registry = Registry::empty();
    /// let id = registry.observe(|record: &Record| println!("{} hooks at {}", record.runs.len(), record.kind));
    /// assert!(registry.remove_observer(&id));
    /// assert!(!registry.remove_observer(&id));
    /// ```
    pub fn remove_observer(&self, id: &ObserverId) -> bool {
        let is_it = |observer: &Arc<dyn Observer>| id.0.ptr_eq(&Arc::downgrade(observer));
        let removed: Vec<Arc<dyn Observer>> = self.edit(|snapshot| {
            let (removed, kept): (Vec<_>, Vec<_>) = snapshot.observers.iter().cloned().partition(is_it);
            snapshot.observers = kept.into();
            removed
        });
        // Dropped after the lock is gone: an observer is code of the app.
        !removed.is_empty()
    }

    /// The hooks, by id.
    pub fn hooks(&self) -> Vec<Arc<Hook>> {
        let snapshot = self.snapshot();
        let mut hooks: Vec<_> = snapshot.hooks.values().map(|registered| Arc::clone(&registered.hook)).collect();
        hooks.sort_by(|a, b| a.id.cmp(&b.id));
        hooks
    }

    /// The kinds at which a hook of this program can run, by name.
    pub fn kinds(&self) -> Vec<&'static KindDescriptor> {
        kind::all()
    }

    /// Makes the set in force: the app's list, and the prompt's list or else the agent's.
    ///
    /// # Errors
    /// Everything that is wrong at once, with its places: unknown ids, ids named twice, missing requirements, cycles.
    pub fn scope(&self, agent: &dyn Definition, prompt: Option<&PromptDef>) -> Result<HookSet, ConfigError> {
        resolve::resolve(&self.snapshot(), agent, prompt)
    }

    /// Makes the set of the prompt's list or else the agent's, without what is in force everywhere (the app's list and the
    /// plugins): for a harness in which the gates of one agent hold for another too.
    ///
    /// # Errors
    /// As [`scope`](Self::scope); a hook that the list requires may be missing, since it may be in force elsewhere.
    pub fn scope_alone(&self, agent: &dyn Definition, prompt: Option<&PromptDef>) -> Result<HookSet, ConfigError> {
        resolve::alone(&self.snapshot(), agent, prompt)
    }

    /// What is not wrong, but likely not meant, in these sets: see [`Finding`]. Give it the sets of all agents and
    /// prompts, and it also tells the hooks that none of them names. Where the program says with
    /// [`fires!`](crate::fires) what it fires, it tells the hooks of every other kind.
    pub fn audit<'a>(&self, sets: impl IntoIterator<Item = &'a HookSet>) -> Vec<Finding> {
        let snapshot = self.snapshot();
        let mut unnamed: HashMap<&HookId, &Registered> = snapshot.hooks.iter().collect();
        let mut findings = Vec::new();
        let mut agents: Vec<&str> = Vec::new();
        for set in sets {
            findings.extend(set.audit().iter().cloned());
            unnamed.retain(|id, _| !set.names(id));
            let parts = set.parts();
            agents.push(&parts.agent);
            if parts.revision < snapshot.revision {
                let text = format!(
                    "the hooks of {} were put together before the registry changed, and have nothing of what came after: hooks, plugins, overrides, observers, the app's list; call `registry.scope(…)` again",
                    parts.owner
                );
                findings.push(Finding::new(FindingKind::OutdatedSet, &parts.owner, text));
            }
        }
        // The app's list may be newer than the sets, which was reported.
        for id in snapshot.app.hooks.iter().flatten().filter_map(|entry| self.id_of(entry)) {
            unnamed.remove(&id);
        }
        // Those of a plugin that is not installed are told with it.
        let out = |hook: &Hook| hook.plugin.as_ref().is_some_and(|plugin| snapshot.installed(plugin).is_none());
        let mut unnamed: Vec<_> = unnamed.into_values().map(|registered| &registered.hook).collect();
        unnamed.retain(|hook| !out(hook));
        unnamed.sort_by(|a, b| a.id.cmp(&b.id));
        findings.extend(unnamed.into_iter().map(|hook| {
            let text = format!("no list names the hook `{}` ({}): it never runs", hook.id, hook.origin);
            Finding::new(FindingKind::UnnamedHook, &hook.id, text)
        }));
        findings.extend(snapshot.plugin_findings(&agents));
        // Plugins are started and stopped here, whatever the harness fires.
        findings.extend(never_fired(&self.hooks(), plugins::is_lifecycle));
        findings.extend(never_filled(&self.hooks()));
        findings
    }

    /// [`audit`](Self::audit), and what can be seen only with the harness: filters that match nothing of what it has, and
    /// that the program does not declare what it fires.
    ///
    /// ```
    /// use hooks_core::diagnostics::HarnessFacts;
    /// use hooks_core::kinds::*;
    /// use hooks_core::prelude::*;
    ///
    /// let registry = Registry::empty();
    /// let guard = Hook::at::<BeforeToolCall>("guard").reader(|_, _, _| Permission::deny("never")).only("tool", "refnd");
    /// registry.register(guard)?;
    /// let set = registry.scope(&AgentDef::new("support").hooks(["guard"]), None)?;
    /// let findings = registry.audit_with([&set], &HarnessFacts::new().tools(["refund", "lookup"]));
    /// assert!(findings[0].to_string().ends_with("which it never is in this harness; did you mean `refund`?"));
    /// # Ok::<(), ConfigError>(())
    /// ```
    pub fn audit_with<'a>(&self, sets: impl IntoIterator<Item = &'a HookSet>, facts: &HarnessFacts) -> Vec<Finding> {
        let mut findings = self.audit(sets);
        findings.extend(audit::matching_nothing(&self.hooks(), facts));
        if Fires::declared().is_empty() {
            let text = "hooks at kinds that nothing fires are not looked for, because the program does not declare what it fires; write `hooks_core::fires![…]` next to the code that fires";
            findings.push(Finding::new(FindingKind::FiresNotDeclared, "", text));
        }
        findings
    }

    /// Changes several things at once: `change` is given a draft of this registry, and what it did there takes effect all at once, or
    /// not at all where it fails. A set that is made meanwhile is made from all that was there before or from all that is there
    /// after. Where somebody else changed the registry meanwhile, `change` is called again, with a draft of what is there then.
    ///
    /// ```
    /// use hooks_core::kinds::BeforeToolCall;
    /// use hooks_core::prelude::*;
    ///
    /// let registry = Registry::empty();
    /// registry.update(|draft| {
    ///     draft.register(Hook::at::<BeforeToolCall>("closed").reader(|_, _, _| Permission::deny("we are closed")))?;
    ///     draft.set_app(AppDef::new("desk").hooks(["closed"]));
    ///     Ok::<_, ConfigError>(())
    /// })?;
    /// # Ok::<(), ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// What `change` gives.
    pub fn update<T, E>(&self, mut change: impl FnMut(&Self) -> Result<T, E>) -> Result<T, E> {
        loop {
            let before = self.snapshot();
            let draft = Self::from(Snapshot::clone(&before));
            let value = change(&draft)?;
            let after = draft.snapshot();
            let mut now = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
            if now.revision == before.revision {
                let replaced = std::mem::replace(&mut *now, after);
                // Before what was replaced: hooks are dropped outside of the lock.
                drop(now);
                drop(replaced);
                return Ok(value);
            }
        }
    }

    /// A number that grows with every change of the registry: sets that were made from the same lists at the same number are
    /// the same, so a harness may keep them.
    ///
    /// ```
    /// use hooks_core::Registry;
    /// use hooks_core::scope::AppDef;
    ///
    /// let registry = Registry::empty();
    /// let before = registry.revision();
    /// registry.set_app(AppDef::new("desk"));
    /// assert!(registry.revision() > before);
    /// ```
    pub fn revision(&self) -> u64 {
        self.snapshot().revision
    }

    /// The hook that an entry of a list names, where it is here.
    pub(crate) fn id_of(&self, entry: &HookUse) -> Option<HookId> {
        match &entry.name {
            HookName::Id(id) => Some(id.clone()),
            HookName::Function(function) => self.snapshot().id_of(function).ok().cloned(),
        }
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the snapshot under the lock. No hook may be dropped in `edit`: what a closure captured is code of the app
    /// when it is dropped, and may use this registry.
    fn edit<T>(&self, edit: impl FnOnce(&mut Snapshot) -> T) -> T {
        let mut snapshot = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
        // Copied only while somebody makes a set from it.
        let snapshot = Arc::make_mut(&mut snapshot);
        snapshot.revision += 1;
        edit(snapshot)
    }
}

impl From<Snapshot> for Registry {
    fn from(snapshot: Snapshot) -> Self {
        Self { snapshot: Arc::new(RwLock::new(Arc::new(snapshot))) }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("hooks", &self.snapshot().hooks.len()).finish_non_exhaustive()
    }
}
