//! The registry of all hooks, and the snapshots from which sets are made.

mod audit;
mod check;
mod constraints;
mod detached;
mod entries;
mod findings;
mod overridden;
mod plans;
mod plugins;
mod resolve;
mod set_builder;
mod snapshot;
mod trial;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, Weak};

pub(crate) use detached::WeakRegistry;
use set_builder::Part;
pub(crate) use snapshot::Snapshot;
use snapshot::not_a_hook;

use crate::context::{ConversationStates, depth};
use crate::diagnostics::ConfigError;
use crate::hook::Hook;
use crate::id::HookId;
use crate::plan::HookSet;
use crate::record::Observer;
use crate::scope::{AppDef, Definition, HookRef, HookUse, PromptDef};
use crate::source::Item;
use crate::tables::debug_of;

/// Identifies an observer, for [`Registry::remove_observer`]. Returned by [`Registry::observe`].
#[derive(Clone, Debug)]
pub struct ObserverId(Weak<dyn Observer>);

/// The hooks of a program.
///
/// A clone is another handle to the same registry. Each change makes a new snapshot and leaves existing sets as they
/// are, so a turn sees one set from start to end.
///
/// ```standalone_crate
/// use hook_sdk::data::Role;
/// use hook_sdk::kinds::*;
/// use hook_sdk::prelude::*;
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
    /// Collects all hooks that are linked into this program, from every module and crate.
    ///
    /// A dependency that no code refers to is not linked, and neither are its hooks: write `use that_crate as _;`.
    ///
    /// # Errors
    /// All problems at once: duplicate ids, and functions in `hooks![…]` without `#[hook]`.
    pub fn discover() -> Result<Self, ConfigError> {
        let mut snapshot = Snapshot::default();
        let mut problems = plugins::declared_twice();
        for hook in Hook::linked() {
            problems.extend(snapshot.add_linked(hook));
        }
        let mut named: Vec<&HookRef> = inventory::iter::<HookRef>.into_iter().collect();
        named.sort_by_key(|named| (named.file, named.line, named.path));
        problems.extend(named.into_iter().filter_map(|function| snapshot.id_of_function(function).err()));
        ConfigError::unless_empty(problems)?;
        Ok(Self::from(snapshot))
    }

    /// Creates a registry without hooks. Useful in tests, because `discover` in a test binary finds the hooks of all
    /// its tests.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Adds the hooks that `hooks![…]` names.
    ///
    /// # Errors
    /// All problems at once: functions without `#[hook]`, and ids that are already registered.
    pub fn with(self, named: impl IntoIterator<Item = HookRef>) -> Result<Self, ConfigError> {
        let linked = Hook::linked();
        let functions = |hook| Hook::functions(hook).map(move |function| (function, hook));
        let linked: HashMap<Item, &Hook> = linked.iter().flat_map(functions).collect();
        // Collected before locking: the iterator is caller code and may use this registry.
        let named: Vec<HookRef> = named.into_iter().collect();
        let problems = self.edit(|snapshot| {
            let add = |function: HookRef| match linked.get(&(function.function)()) {
                Some(hook) => snapshot.add_linked(Hook::clone(hook)),
                None => vec![not_a_hook(&function)],
            };
            named.into_iter().flat_map(add).collect()
        });
        ConfigError::unless_empty(problems)?;
        Ok(self)
    }

    /// Copies the registry's hooks, lists and overrides, but not its observers, for experiments. Later changes to one
    /// do not affect the other.
    #[must_use]
    pub fn fork(&self) -> Self {
        let kept = Snapshot::clone(&self.snapshot());
        Self::from(Snapshot { observers: Arc::default(), conversations: Arc::default(), ..kept })
    }

    /// The states that hooks keep for each conversation and turn.
    pub fn conversation_states(&self) -> Arc<ConversationStates> {
        Arc::clone(&self.snapshot().conversations)
    }

    /// Returns the app's list.
    pub fn app(&self) -> AppDef {
        self.snapshot().app.clone()
    }

    /// Sets the app's list, which is in force for every agent and prompt.
    pub fn set_app(&self, app: AppDef) {
        self.edit(|snapshot| snapshot.app = app);
    }

    /// Adds a hook.
    ///
    /// # Errors
    /// All problems of the options at once, or a duplicate id (see
    /// [`replace`](Self::replace)).
    pub fn register(&self, hook: Hook) -> Result<(), ConfigError> {
        ConfigError::unless_empty(check::check(&hook))?;
        // As a value, it is not a copy of a linked hook.
        let hook = Arc::new(Hook { functions: Vec::new(), ..hook });
        self.edit(|snapshot| Ok(snapshot.add(&hook)?))
    }

    /// Replaces the hook with the same id. The new hook takes over the old one's plugin, its overrides, and whether it
    /// is disabled.
    ///
    /// # Errors
    /// [`NoSuchHook`](crate::diagnostics::ProblemKind::NoSuchHook) if no hook has this id. Otherwise all problems of its
    /// options, and existing overrides that do not fit the new hook.
    pub fn replace(&self, hook: Hook) -> Result<(), ConfigError> {
        let hook = Arc::new(hook);
        let replaced = self.edit(|snapshot| {
            snapshot.known(hook.id.as_str())?;
            ConfigError::unless_empty(check::check(&hook))?;
            ConfigError::unless_empty(snapshot.overrides_of(&hook))?;
            // It stays with the plugin that the other belonged to.
            Ok::<_, ConfigError>(snapshot.hooks.get_mut(&hook.id).map(|registered| {
                let hook = Hook { plugin: registered.plugin.clone(), ..Hook::clone(&hook) };
                std::mem::replace(registered, Arc::new(hook))
            }))
        })?;
        drop(replaced);
        Ok(())
    }

    /// Disables the hook in sets made from now on. Scopes that name it skip it, and records and audit show this.
    ///
    /// This also works on `locked` hooks, and overrides cannot enable the hook again.
    ///
    /// # Errors
    /// [`NoSuchHook`](crate::diagnostics::ProblemKind::NoSuchHook) if no hook has this id.
    pub fn disable(&self, id: &str) -> Result<(), ConfigError> {
        self.edit(|snapshot| {
            let id = snapshot.known(id)?.id.clone();
            snapshot.disabled.insert(id);
            Ok(())
        })
    }

    /// Reverts [`disable`](Self::disable) for sets made from now on.
    ///
    /// # Errors
    /// [`NoSuchHook`](crate::diagnostics::ProblemKind::NoSuchHook) if no hook has this id.
    pub fn enable(&self, id: &str) -> Result<(), ConfigError> {
        self.edit(|snapshot| {
            let id = snapshot.known(id)?.id.clone();
            snapshot.disabled.remove(&id);
            Ok(())
        })
    }

    /// Limits the nesting of dispatches (hooks that fire hooks) in sets made from now on. The default is 8, the minimum
    /// 1, the maximum 64. Deeper dispatches return [`DispatchError::TooDeep`](crate::DispatchError::TooDeep).
    pub fn set_depth_limit(&self, limit: usize) {
        self.edit(|snapshot| snapshot.depth_limit = Some(limit.clamp(1, depth::MOST)));
    }

    /// Registers an observer for all dispatches of sets made from now on.
    pub fn observe(&self, observer: impl Observer) -> ObserverId {
        let observer: Arc<dyn Observer> = Arc::new(observer);
        let id = ObserverId(Arc::downgrade(&observer));
        self.edit(|snapshot| {
            snapshot.observers = snapshot.observers.iter().cloned().chain([observer]).collect();
        });
        id
    }

    /// Removes an observer from sets made from now on. Returns whether it was registered.
    ///
    /// ```
    /// use hook_sdk::Registry;
    /// use hook_sdk::record::Record;
    ///
    /// let registry = Registry::empty();
    /// let id = registry.observe(|record: &Record| println!("{} hooks at {}", record.runs.len(), record.kind));
    /// assert!(registry.remove_observer(&id));
    /// assert!(!registry.remove_observer(&id));
    /// ```
    pub fn remove_observer(&self, id: &ObserverId) -> bool {
        let is_same = |observer: &Arc<dyn Observer>| id.0.ptr_eq(&Arc::downgrade(observer));
        let removed: Vec<Arc<dyn Observer>> = self.edit(|snapshot| {
            let (removed, kept): (Vec<_>, Vec<_>) = snapshot.observers.iter().cloned().partition(is_same);
            snapshot.observers = kept.into();
            removed
        });
        // Dropped after the lock is released: an observer is app code.
        !removed.is_empty()
    }

    /// The registered hooks, sorted by id.
    pub fn hooks(&self) -> Vec<Arc<Hook>> {
        let snapshot = self.snapshot();
        let mut hooks: Vec<_> = snapshot.hooks.values().cloned().collect();
        hooks.sort_by(|a, b| a.id.cmp(&b.id));
        hooks
    }

    /// Makes the set of hooks in force: those of the app's list, of the plugins, and of the prompt's list or else the
    /// agent's.
    ///
    /// # Errors
    /// All problems at once, with their positions: unknown ids, duplicate entries, missing requirements, cycles.
    pub fn scope(&self, agent: &dyn Definition, prompt: Option<&PromptDef>) -> Result<HookSet, ConfigError> {
        resolve::resolve(&self.snapshot(), agent, prompt, Part::Scope)
    }

    /// Makes the set of the hooks that are in force for this agent and prompt, and not for every agent: those of the
    /// prompt's list or else the agent's, and of plugins that are installed for this agent. A hook of a plugin for all
    /// agents is included if the list passes parameters to it. A harness uses this set to apply the gates of one agent
    /// to another agent.
    ///
    /// # Errors
    /// The same as those of [`scope`](Self::scope), except that a required hook may be missing, because it may be in
    /// force elsewhere.
    pub fn scope_alone(&self, agent: &dyn Definition, prompt: Option<&PromptDef>) -> Result<HookSet, ConfigError> {
        resolve::resolve(&self.snapshot(), agent, prompt, Part::Alone)
    }

    /// Applies several changes atomically. `change` receives a draft of this registry; its changes take effect
    /// together, or not at all if it returns an error. A set that is made in the meantime sees either none or all of
    /// them. If the registry was changed concurrently, `change` is called again with a new draft.
    ///
    /// ```
    /// use hook_sdk::kinds::BeforeToolCall;
    /// use hook_sdk::prelude::*;
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
    /// The error of `change`.
    ///
    /// # Panics
    /// If the registry changes during each of 1,000 calls, as it does if `change` changes the registry itself instead of
    /// the draft.
    #[allow(clippy::panic, reason = "without it, a call that changes what it waits for would never end")]
    pub fn update<T, E>(&self, mut change: impl FnMut(&Self) -> Result<T, E>) -> Result<T, E> {
        for _ in 0..1_000 {
            let before = self.snapshot();
            let draft = Self::from(Snapshot::clone(&before));
            let value = change(&draft)?;
            let after = draft.snapshot();
            let mut now = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
            if now.revision == before.revision {
                let replaced = std::mem::replace(&mut *now, after);
                // Hooks must be dropped outside of the lock.
                drop(now);
                drop(replaced);
                return Ok(value);
            }
        }
        panic!(
            "`Registry::update`: the registry changed during each of 1,000 calls of `change`; change the draft instead"
        )
    }

    /// A number that increases with every change of the registry. Sets that were made from the same lists at the same
    /// revision are equal, so a harness may cache them.
    ///
    /// ```
    /// use hook_sdk::Registry;
    /// use hook_sdk::scope::AppDef;
    ///
    /// let registry = Registry::empty();
    /// let before = registry.revision();
    /// registry.set_app(AppDef::new("desk"));
    /// assert!(registry.revision() > before);
    /// ```
    pub fn revision(&self) -> u64 {
        self.snapshot().revision
    }

    /// The id of the hook that an entry names, if it is registered.
    pub(crate) fn id_of(&self, entry: &HookUse) -> Option<HookId> {
        self.snapshot().id_of(entry).ok().cloned()
    }

    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the snapshot under the lock. `edit` must not drop a hook: the values that a closure captured are app
    /// code when dropped, and may use this registry.
    fn edit<T>(&self, edit: impl FnOnce(&mut Snapshot) -> T) -> T {
        let mut snapshot = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
        // Copies the snapshot only if it is in use.
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

debug_of!(Registry, self => { hooks: self.snapshot().hooks.len() });
