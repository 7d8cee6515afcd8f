//! Hooks and their options.

pub(crate) mod binding;
mod builder;
mod check;
pub(crate) mod registration;
mod patterns;

use std::any::TypeId;
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

pub(crate) use binding::{Binding, CloneEvent, Only};
pub use builder::{BlockingFunction, HookAt};
pub(crate) use check::OptionProblem;

use crate::context::{Parameters, WithSpec};
pub use crate::failure::OnFailure;
pub use crate::handler::{BoxFuture, NotSelected};
pub use crate::id::HookId;
pub use crate::options::{Hold, HookMode, OnReplay, Options, RunMode, Timeout, Visibility};
pub use crate::source::Origin;
use crate::tables::setters;
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
    pub(crate) description: Cow<'static, str>,
    pub(crate) origin: Origin,
    pub(crate) options: Options,
    /// Parses the parameters that a list passes.
    pub(crate) with: Option<WithSpec>,
    /// The plugin that the hook belongs to. Its name has the form of an id.
    pub(crate) plugin: Option<HookId>,
    /// Whether overrides of the operator cannot change it.
    pub(crate) locked: bool,
    /// Whether the function takes the context. If not, it gets no context of its own.
    pub(crate) asks_context: bool,
    /// The type of the annotated function, by which `hooks![…]` finds the hook.
    pub(crate) function: Option<fn() -> TypeId>,
    pub(crate) bindings: Cow<'static, [Binding]>,
}

setters!(Hook, self => self.options, {
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
    /// Prevents an operator's overrides from disabling the hook or changing its options.
    locked,
});

impl Hook {
    /// Describes what the hook does, for plans and lists.
    #[must_use]
    pub fn description(mut self, text: &str) -> Self {
        self.description = text.to_owned().into();
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
        for binding in self.bindings.to_mut() {
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
        for binding in self.bindings.to_mut() {
            binding.fall_back(other);
        }
        self
    }

    /// Restricts what the hook may contribute at a contribute kind. By default it may contribute everything that the
    /// kind offers.
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

    /// The hook's options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The hook's id.
    pub fn id(&self) -> &HookId {
        &self.id
    }

    /// The position of the hook in the source.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The names of the kinds at which the hook runs.
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
