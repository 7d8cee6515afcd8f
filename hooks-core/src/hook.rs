//! A hook, and its options as methods of a value.

mod binding;
mod builder;
#[doc(hidden)]
pub mod spec;

use std::fmt;
use std::sync::Arc;

pub(crate) use binding::{Binding, Only};
pub use builder::{BlockingHookAt, HookAt};
// Not public API. Used by generated code.
#[doc(hidden)]
pub use spec::{BindingSpec, Filters, HookSpec, OwnEvent, kind, type_of};

use crate::context::{Parameters, WithSpec};
pub use crate::failure::OnFailure;
pub use crate::handler::{BoxFuture, NotSelected};
pub use crate::id::HookId;
pub use crate::options::{Hold, HookMode, OnReplay, Options, RunMode, Timeout, Visibility};
pub use crate::source::Origin;
use crate::verdict::Capability;

/// A hook: id, options, and the kinds it runs at. Made by `#[hook]`, or here as a value around a closure.
///
/// The constructor determines how the closure takes the subject. A set orders and runs it like any other hook.
///
/// ```
/// use hooks_core::kinds::*;
/// use hooks_core::prelude::*;
/// use hooks_core::data::Message;
/// use hooks_core::kinds::BeforeCreateMessage;
///
/// let limit = 80;
/// let shorten = Hook::at::<BeforeCreateMessage>("shorten").writer(move |_cx, _event, row: &mut Message| {
///     row.rewrite_text(|text| (text.len() > limit).then(|| text.chars().take(limit).collect()));
/// });
/// let registry = Registry::empty();
/// registry.register(shorten.priority(100))?;
/// # Ok::<(), hooks_core::ConfigError>(())
/// ```
#[derive(Clone)]
pub struct Hook {
    pub(crate) id: HookId,
    pub(crate) description: Arc<str>,
    pub(crate) origin: Origin,
    pub(crate) options: Options,
    /// How the parameters that a list gives are read.
    pub(crate) with: Option<WithSpec>,
    /// The plugin that it belongs to.
    pub(crate) plugin: Option<Arc<str>>,
    /// Whether the operator's overrides leave it alone.
    pub(crate) locked: bool,
    /// Whether it is given its context; one that is not is called as if it belonged to nobody.
    pub(crate) asks_context: bool,
    pub(crate) bindings: Vec<Binding>,
}

impl Hook {
    /// What the hook does, for plans and lists.
    #[must_use]
    pub fn description(mut self, text: &str) -> Self {
        self.description = text.into();
        self
    }

    /// A lower number runs earlier; the default is 0.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.options.priority = priority;
        self
    }

    /// Whether its answers have an effect.
    #[must_use]
    pub fn mode(mut self, mode: HookMode) -> Self {
        self.options.mode = mode;
        self
    }

    /// Whether a replay runs it. A hook with external effects, such as sending a message, should be skipped.
    #[must_use]
    pub fn on_replay(mut self, on_replay: OnReplay) -> Self {
        self.options.on_replay = on_replay;
        self
    }

    /// Runs after these hooks, if they are in scope.
    #[must_use]
    pub fn after<'a>(mut self, ids: impl IntoIterator<Item = &'a str>) -> Self {
        self.options.after = ids.into_iter().map(|id| id.to_owned().into()).collect();
        self
    }

    /// Runs before these hooks, if they are in scope.
    #[must_use]
    pub fn before<'a>(mut self, ids: impl IntoIterator<Item = &'a str>) -> Self {
        self.options.before = ids.into_iter().map(|id| id.to_owned().into()).collect();
        self
    }

    /// Runs after these hooks; a scope without them is an error.
    #[must_use]
    pub fn requires<'a>(mut self, ids: impl IntoIterator<Item = &'a str>) -> Self {
        self.options.requires = ids.into_iter().map(|id| id.to_owned().into()).collect();
        self
    }

    /// How long an async hook may take: a [`Duration`](std::time::Duration), or [`Timeout::None`].
    #[must_use]
    pub fn timeout(mut self, timeout: impl Into<Timeout>) -> Self {
        self.options.timeout = timeout.into();
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

    /// What happens when the hook fails.
    #[must_use]
    pub fn on_failure(mut self, policy: OnFailure) -> Self {
        self.options.on_failure = Some(policy);
        self
    }

    /// Runs the function of `other` if this one fails; if that fails too, `on_failure` applies. `other` has to be built with the
    /// same constructor at the same kind. Only its function is used, neither its id nor its options.
    ///
    /// ```
    /// use hooks_core::kinds::*;
    /// use hooks_core::prelude::*;
    /// use hooks_core::data::Message;
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
    /// # Ok::<(), hooks_core::ConfigError>(())
    /// ```
    #[must_use]
    pub fn fallback(mut self, other: &Self) -> Self {
        for binding in &mut self.bindings {
            binding.fall_back(other);
        }
        self
    }

    /// Its visibility; the default is internal.
    #[must_use]
    pub fn visibility(mut self, visibility: Visibility) -> Self {
        self.options.visibility = visibility;
        self
    }

    /// What it may contribute, at a contribute kind; the default is everything that the kind offers.
    #[must_use]
    pub fn capabilities(mut self, these: impl IntoIterator<Item = Capability>) -> Self {
        self.options.capabilities = Some(these.into_iter().collect());
        self
    }

    /// Takes parameters from the list that names the hook. The closure reads them with
    /// [`cx.with::<T>()`](crate::HookContext::with).
    #[must_use]
    pub fn parameters<T: Parameters>(mut self) -> Self {
        self.with = Some(WithSpec::of::<T>());
        self
    }

    /// Its plugin. Not needed for a hook that is passed to [`Plugin::hook`](crate::plugin::Plugin::hook).
    #[must_use]
    pub fn plugin(mut self, name: &str) -> Self {
        self.plugin = Some(name.into());
        self
    }

    /// Overrides of an operator can neither disable it nor change its options.
    #[must_use]
    pub fn locked(mut self) -> Self {
        self.locked = true;
        self
    }

    /// It may safely run twice.
    #[must_use]
    pub fn idempotent(mut self) -> Self {
        self.options.idempotent = true;
        self
    }

    /// How often a failed background run is retried; only for a hook that is
    /// [`idempotent`](Self::idempotent).
    #[must_use]
    pub fn retries(mut self, retries: u32) -> Self {
        self.options.retries = retries;
        self
    }

    /// How much of the end of a stream is held back for it, at `stream_delta`: a number of characters, or
    /// [`Hold::SENTENCE`].
    #[must_use]
    pub fn hold(mut self, hold: impl Into<Hold>) -> Self {
        self.options.hold = hold.into();
        self
    }

    /// Its options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The id.
    pub fn id(&self) -> &HookId {
        &self.id
    }

    /// Where the hook is in the source.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The names of the kinds it runs at.
    pub fn kinds(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.bindings.iter().map(|binding| binding.kind.name)
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hook")
            .field("id", &self.id)
            .field("kinds", &self.kinds().collect::<Vec<_>>())
            .field("origin", &format_args!("{}", self.origin))
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
