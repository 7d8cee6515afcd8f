//! Hooks and their options.

pub(crate) mod binding;
mod builder;
mod check;
pub(crate) mod registration;
mod patterns {
    hooks_macros::__expand! { patterns }
}

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use binding::{Binding, CloneEvent, Only};
pub use builder::HookAt;
pub(crate) use check::OptionProblem;

use crate::context::state::TypeSpec;
use crate::context::{Bound, Parameters, PerHook, WithSpec};
pub use crate::failure::OnFailure;
pub use crate::handler::{BoxFuture, NotSelected};
pub use crate::id::HookId;
use crate::options::HookIds;
pub use crate::options::{Hold, HookMode, OnReplay, Options, RunMode, Timeout, Visibility};
use crate::signature::parameters::Need;
use crate::source::Item;
pub use crate::source::Origin;
use crate::tables::{debug_of, setters};
use crate::verdict::Capability;

/// A hook: an id, options, and the kinds at which it runs. The attribute `#[hook]` makes one from a function;
/// [`Hook::at`] makes one from a closure.
///
/// The constructor determines how the closure takes the subject. A set orders and runs such a hook like any other.
///
/// ```
/// use hook_sdk::kinds::*;
/// use hook_sdk::prelude::*;
/// use hook_sdk::data::Message;
/// use hook_sdk::kinds::BeforeCreateMessage;
///
/// let limit = 80;
/// let shorten = Hook::at::<BeforeCreateMessage>("shorten").writer(move |_cx, _event, row: &mut Message| {
///     row.rewrite_text(|text| (text.len() > limit).then(|| text.chars().take(limit).collect()));
/// });
/// let registry = Registry::empty();
/// registry.register(shorten.priority(100))?;
/// # Ok::<(), hook_sdk::ConfigError>(())
/// ```
#[derive(Clone)]
pub struct Hook {
    pub(crate) id: HookId,
    pub(crate) description: String,
    pub(crate) version: String,
    pub(crate) origin: Origin,
    /// The plugin that the hook belongs to. Its name has the form of an id.
    pub(crate) plugin: Option<HookId>,
    /// Whether overrides of the operator cannot change it.
    pub(crate) locked: bool,
    /// The types of the annotated functions, by which `hooks![…]` finds the hook.
    pub(crate) functions: Vec<fn() -> Item>,
    /// Its functions, one for each kind.
    pub(crate) bindings: Vec<Binding>,
}

setters!(Hook, self => in self.options_mut(), {
    /// Sets the priority. Lower numbers run earlier; the default is 0.
    priority: i32,
    /// Sets whether the hook's answers take effect.
    mode: HookMode,
    /// Sets whether a replay runs the hook. A hook with external effects, such as sending a message, should be skipped.
    on_replay: OnReplay,
    /// Sets how long an async hook may take: a [`Duration`], or [`Timeout::None`].
    timeout: impl Into<Timeout>,
    /// Sets what happens when the hook fails.
    on_failure: OnFailure => Some,
    /// Sets who sees the hook's decision; the default is internal.
    visibility: Visibility,
    /// Declares that the hook may safely run twice for the same event.
    idempotent,
    /// Sets how often a failed background run is retried. Only for [`idempotent`](Self::idempotent) hooks.
    retries: u32,
    /// Sets how long after the dispatch a background run starts. It may start later, because it waits for a worker.
    delay: Duration,
    /// Sets how much of the end of a stream is held back for the hook, at `stream_delta`: a number of characters, or
    /// [`Hold::SENTENCE`].
    hold: impl Into<Hold>,
});

setters!(Hook {
    /// Describes what the hook does, for plans and lists.
    description: impl Into<String>,
    /// Names the version of what the hook does, such as a hash of the file that it follows. For a replay, a hook with
    /// another version has changed.
    version: impl Into<String>,
    /// Prevents an operator's overrides from disabling the hook or changing its options.
    locked,
});

impl Hook {
    /// Joins several hooks into one, with one id, one entry in a list, and one `with`. Each runs at kinds of its own, with
    /// its own options; their ids are not used. For annotated functions, see [`group!`](macro@crate::group).
    ///
    /// ```
    /// use hook_sdk::kinds::*;
    /// use hook_sdk::prelude::*;
    ///
    /// let mask = |text: &str| text.contains('@').then(|| "[masked]".to_owned());
    /// let rows = Hook::at::<BeforeCreateMessage>("rows").writer(move |_, _, row: &mut Message| {
    ///     row.rewrite_text(mask);
    /// });
    /// let results = Hook::at::<AfterToolCallSuccess>("results").writer(move |_, _, result| {
    ///     result.rewrite_text(mask);
    /// });
    /// let group = Hook::group("mask_pii", [rows.on_failure(OnFailure::Required), results.on_failure(OnFailure::Remove)]);
    ///
    /// let registry = Registry::empty();
    /// registry.register(group)?;
    /// let hooks = registry.scope(&AgentDef::new("support").hooks(["mask_pii"]), None)?;
    /// assert!(hooks.has::<BeforeCreateMessage>() && hooks.has::<AfterToolCallSuccess>());
    /// # Ok::<(), ConfigError>(())
    /// ```
    #[track_caller]
    pub fn group(id: &str, members: impl IntoIterator<Item = Self>) -> Self {
        let caller = std::panic::Location::caller();
        Self::grouped(HookId::new(id), Origin::new(caller.file(), caller.line(), ""), members)
    }

    pub(crate) fn grouped(id: HookId, origin: Origin, members: impl IntoIterator<Item = Self>) -> Self {
        let (mut functions, mut bindings) = (Vec::new(), Vec::new());
        let (mut plugin, mut locked, mut version) = (None, false, String::new());
        for member in members {
            version.push_str(&member.version);
            functions.extend(member.functions);
            bindings.extend(member.bindings);
            plugin = plugin.or(member.plugin);
            locked |= member.locked;
        }
        Self { id, description: String::new(), version, origin, plugin, locked, functions, bindings }
    }

    /// Runs after these hooks, if they are in scope.
    #[must_use]
    pub fn after<'a>(self, ids: impl IntoIterator<Item = &'a str>) -> Self {
        self.order(ids, |options| &mut options.after)
    }

    /// Runs before these hooks, if they are in scope.
    #[must_use]
    pub fn before<'a>(self, ids: impl IntoIterator<Item = &'a str>) -> Self {
        self.order(ids, |options| &mut options.before)
    }

    /// Runs after these hooks; a scope without them is an error.
    #[must_use]
    pub fn requires<'a>(self, ids: impl IntoIterator<Item = &'a str>) -> Self {
        self.order(ids, |options| &mut options.requires)
    }

    /// Sets the plugin of the hook. Not needed for a hook that is passed to
    /// [`Plugin::hook`](crate::plugin::Plugin::hook).
    #[must_use]
    pub fn plugin(mut self, name: &str) -> Self {
        self.plugin = Some(HookId::new(name));
        self
    }

    /// Runs only if the event's field matches one of these patterns: `.only("tool", "cancel_*|Bash")`.
    #[must_use]
    pub fn only(mut self, field: &str, patterns: &str) -> Self {
        for binding in &mut self.bindings {
            binding.only(field, patterns);
        }
        self
    }

    /// Runs the function of `other` if this one fails; if that fails too, `on_failure` applies. `other` must be built
    /// with the same constructor at the same kind. Only its function is used, neither its id nor its options.
    ///
    /// ```
    /// use hook_sdk::kinds::*;
    /// use hook_sdk::prelude::*;
    /// use hook_sdk::data::Message;
    ///
    /// let simple = |_: &HookContext, _: &BeforeCreateMessage, row: &mut Message| {
    ///     row.rewrite_text(|text| Some(text.replace('@', " at ")));
    /// };
    /// let precise = |_: &HookContext, _: &BeforeCreateMessage, _: &mut Message| -> Result<(), String> {
    ///     Err("the list of addresses is gone".into())
    /// };
    /// let mask = Hook::at::<BeforeCreateMessage>("mask").writer(precise)
    ///     .fallback(&Hook::at::<BeforeCreateMessage>("mask_simply").writer(simple))
    ///     .on_failure(OnFailure::Required);
    /// Registry::empty().register(mask)?;
    /// # Ok::<(), hook_sdk::ConfigError>(())
    /// ```
    #[must_use]
    pub fn fallback(mut self, other: &Self) -> Self {
        for binding in &mut self.bindings {
            binding.fall_back(other);
        }
        self
    }

    /// Restricts what the hook may contribute at a contribute kind. By default it may contribute everything that the
    /// kind offers.
    #[must_use]
    pub fn capabilities(self, these: impl IntoIterator<Item = Capability>) -> Self {
        let held = these.into_iter().collect();
        self.with_options(|options| options.capabilities = Some(held))
    }

    /// Takes parameters from the list that names the hook. The closure reads them with
    /// [`cx.with::<T>()`](crate::HookContext::with).
    #[must_use]
    pub fn parameters<T: Parameters>(mut self) -> Self {
        let need = Need::With(WithSpec::of::<T>());
        for binding in &mut self.bindings {
            binding.needs.retain(|need| !matches!(need, Need::With(_)));
            binding.needs.push(need);
        }
        self
    }

    /// The hook's id.
    pub fn id(&self) -> &HookId {
        &self.id
    }

    /// The position of the hook in the source.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The plugin that the hook belongs to.
    pub fn of_plugin(&self) -> Option<&str> {
        self.plugin.as_ref().map(HookId::as_str)
    }

    /// The names of the kinds at which the hook runs.
    pub fn kinds(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.bindings.iter().map(|binding| binding.kind.name)
    }

    fn options_mut(&mut self) -> impl Iterator<Item = &mut Options> {
        self.bindings.iter_mut().map(|binding| &mut binding.options)
    }

    fn order<'a>(self, ids: impl IntoIterator<Item = &'a str>, list: fn(&mut Options) -> &mut HookIds) -> Self {
        let ids: HookIds = ids.into_iter().map(|id| id.to_owned().into()).collect();
        self.with_options(|options| list(options).clone_from(&ids))
    }

    /// Changes the options at each of its kinds.
    pub(crate) fn with_options(mut self, change: impl FnMut(&mut Options)) -> Self {
        self.options_mut().for_each(change);
        self
    }

    /// The types of its functions.
    pub(crate) fn functions(&self) -> impl DoubleEndedIterator<Item = Item> + '_ {
        self.functions.iter().map(|function| function())
    }

    /// Whether `other` is the same hook of a crate that is linked twice, as it is if its tests depend on a crate that
    /// depends on it. Its place alone does not tell, because a macro puts all of its hooks on one line. The last function
    /// of a group is its item, which has no copy with other members.
    pub(crate) fn is_copy_of(&self, other: &Self) -> bool {
        let path = |hook: &Self| hook.functions().next_back().map(|(_, path)| path);
        path(self).is_some() && (path(self), self.origin) == (path(other), other.origin)
    }

    fn needs(&self) -> impl Iterator<Item = &Need> {
        self.bindings.iter().flat_map(|binding| &*binding.needs)
    }

    /// The parameters that its functions take from a list.
    pub(crate) fn parameters_of_members(&self) -> impl Iterator<Item = WithSpec> {
        self.needs().filter_map(|need| if let Need::With(spec) = need { Some(*spec) } else { None })
    }

    /// The states of the app that its functions take within a dispatch, or as jobs, whose context is that of the worker.
    pub(crate) fn states(&self, as_jobs: bool) -> impl Iterator<Item = TypeSpec> {
        let is_job = |binding: &&Binding| binding.options.run == RunMode::Background;
        let needs = self.bindings.iter().filter(move |binding| is_job(binding) == as_jobs);
        let needs = needs.flat_map(|binding| &*binding.needs);
        needs.filter_map(|need| if let Need::State(spec) = need { Some(*spec) } else { None })
    }

    /// Parses the parameters that a list passes.
    pub(crate) fn with(&self) -> Option<WithSpec> {
        self.parameters_of_members().next()
    }

    /// The part of the context that is only for this hook; `None` if it reads neither of them.
    pub(crate) fn context_of_its_own(&self, with: Option<Bound>) -> Option<Arc<PerHook>> {
        let plugin = self.plugin.clone().filter(|_| self.needs().any(|need| matches!(need, Need::Context)));
        (with.is_some() || plugin.is_some()).then(|| Arc::new(PerHook { with, plugin }))
    }
}

/// Names the hook in a message: ``the hook `redact_pii` (src/guards.rs:7)``.
impl fmt::Display for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the hook `{}` ({})", self.id, self.origin)
    }
}

debug_of!(Hook, self => {
    id: self.id, kinds: self.kinds().collect::<Vec<_>>(), origin: format_args!("{}", self.origin)
});
