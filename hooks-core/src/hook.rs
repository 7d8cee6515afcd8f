//! A hook: its id, its options, and where it is bound.

macro_rules! constructor_docs {
    ($what:literal) => {
        concat!(
            $what,
            "\n\n`id` is checked when the hook is registered. The place of the call is the hook's place in every message."
        )
    };
}

mod answered;
mod binding;
mod handler;
mod limited;
mod modes;
mod options;
mod visibility;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub(crate) use binding::{Binding, Only, StepParts};
// Not public API. Used by generated code.
#[doc(hidden)]
pub use answered::Answered;
#[doc(hidden)]
pub use binding::{Fallback, Filters, KindInfo};
pub use handler::BoxFuture;
#[doc(hidden)]
pub use handler::{Answer, Apart, Call, Effect, Fault, Handler, Lend, Own, OwnAsync, Read, ReadAsync};
pub(crate) use handler::{Cause, FaultKind, LendFn, OwnFn, ReadAsyncFn, ReadFn, call};
#[doc(hidden)]
pub use options::Ids;
pub use options::{OnFailure, Options, RunMode, Timeout};
pub use visibility::Visibility;

use crate::HookContext;
use crate::kind::HookKind;
use crate::param::{Fails, Of, ReturnsSubject, ReturnsVerdict};
use crate::verdict::Capability;
use crate::with::{Parameters, WithSpec};

/// The id of a hook: a lower-case letter, then lower-case letters, digits and `_`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HookId(Arc<str>);

impl HookId {
    pub(crate) fn new(id: &str) -> Self {
        Self(id.into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether `id` has the form of an id. The attribute refuses others when it is compiled.
    pub(crate) fn is_valid(id: &str) -> bool {
        let mut chars = id.chars();
        chars.next().is_some_and(|c| c.is_ascii_lowercase())
            && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
            && !matches!(id, "self" | "super" | "crate")
    }
}

impl fmt::Display for HookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for HookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl AsRef<str> for HookId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for HookId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// Where a hook was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct Origin {
    /// The source file, as the compiler names it.
    pub file: &'static str,
    /// The line, from 1.
    pub line: u32,
    /// The module.
    pub module: &'static str,
}

impl Origin {
    // Not public API. Used by generated code.
    #[doc(hidden)]
    pub const fn new(file: &'static str, line: u32, module: &'static str) -> Self {
        Self { file, line, module }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A hook: id, options, and the kinds it runs at. Made by `#[hook]`, or here as a value around a closure.
///
/// The constructor says what the closure does with the subject; a set orders and runs it like any other hook.
///
/// ```
/// use hooks_core::prelude::*;
/// use hooks_core::data::Message;
/// use hooks_core::kinds::BeforeCreateMessage;
///
/// let limit = 80;
/// let shorten = Hook::writer::<BeforeCreateMessage, _, _, _>("shorten", move |_cx, _event, row: &mut Message| {
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
    #[track_caller]
    fn with_handler<K: HookKind>(id: &str, decides: bool, handler: Handler<K>) -> Self {
        let caller = std::panic::Location::caller();
        Self {
            id: HookId::new(id),
            description: "".into(),
            origin: Origin::new(caller.file(), caller.line(), ""),
            options: Options::default(),
            with: None,
            plugin: None,
            locked: false,
            asks_context: true,
            bindings: vec![Binding::shared(handler, decides)],
        }
    }

    #[doc = constructor_docs!("A hook that reads the subject.")]
    #[track_caller]
    pub fn reader<K, F, R, M>(id: &str, run: F) -> Self
    where
        K: HookKind,
        F: Fn(&HookContext, &K, &K::Subject) -> R + Send + Sync + 'static,
        R: ReturnsVerdict<K, K::Verdict, M, Error: Fails>,
    {
        Self::with_handler(
            id,
            R::decides(),
            Handler::<K>::read(move |cx, event, subject| Fails::settle(R::verdict(Of::NEW, run(cx, event, subject)))),
        )
    }

    #[doc = constructor_docs!("A hook that changes the subject in place.")]
    #[track_caller]
    pub fn writer<K, F, R, M>(id: &str, run: F) -> Self
    where
        K: HookKind,
        F: Fn(&HookContext, &K, &mut K::Subject) -> R + Send + Sync + 'static,
        R: ReturnsVerdict<K, K::Verdict, M, Error: Fails>,
    {
        Self::with_handler(
            id,
            R::decides(),
            Handler::<K>::lend(move |cx, event, subject| Fails::settle(R::verdict(Of::NEW, run(cx, event, subject)))),
        )
    }

    #[doc = constructor_docs!("A hook that takes the subject and returns what is to be there instead.")]
    #[track_caller]
    pub fn replacer<K, F, R, M>(id: &str, run: F) -> Self
    where
        K: HookKind,
        F: Fn(&HookContext, &K, K::Subject) -> R + Send + Sync + 'static,
        R: ReturnsSubject<K, K::Subject, K::Verdict, M, Error: Fails>,
    {
        Self::with_handler(
            id,
            R::decides(),
            Handler::<K>::own(move |cx, event, subject| Fails::settle(R::effect(Of::NEW, run(cx, event, subject)))),
        )
    }

    #[doc = constructor_docs!("A hook that reads the subject and waits for something.")]
    #[track_caller]
    pub fn async_reader<K, F, R, M>(id: &str, run: F) -> Self
    where
        K: HookKind,
        F: for<'a> Fn(&'a HookContext, &'a K, &'a K::Subject) -> BoxFuture<'a, R> + Send + Sync + 'static,
        R: ReturnsVerdict<K, K::Verdict, M, Error: Fails> + 'static,
        M: 'static,
    {
        Self::with_handler(
            id,
            R::decides(),
            Handler::<K>::read_async(move |cx, event, subject| {
                let answer = run(cx, event, subject);
                Box::pin(async move { Fails::settle(R::verdict(Of::NEW, answer.await)) })
            }),
        )
    }

    #[doc = constructor_docs!("A hook that takes the subject, waits for something, and returns what is to be there instead.")]
    #[track_caller]
    pub fn async_replacer<K, F, R, M>(id: &str, run: F) -> Self
    where
        K: HookKind,
        F: for<'a> Fn(&'a HookContext, &'a K, K::Subject) -> BoxFuture<'a, R> + Send + Sync + 'static,
        R: ReturnsSubject<K, K::Subject, K::Verdict, M, Error: Fails> + 'static,
        M: 'static,
    {
        Self::with_handler(
            id,
            R::decides(),
            Handler::<K>::own_async(move |cx, event, subject| {
                let answer = run(cx, event, subject);
                Box::pin(async move { Fails::settle(R::effect(Of::NEW, answer.await)) })
            }),
        )
    }

    /// What the hook does, for plans and lists.
    #[must_use]
    pub fn description(mut self, text: &str) -> Self {
        self.description = text.into();
        self
    }

    /// Lower runs earlier; 0 where nothing is said.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.options.priority = priority;
        self
    }

    /// Runs after these hooks where they are in scope.
    #[must_use]
    pub fn after<'a>(mut self, ids: impl IntoIterator<Item = &'a str>) -> Self {
        self.options.after = ids.into_iter().map(|id| id.to_owned().into()).collect();
        self
    }

    /// Runs before these hooks where they are in scope.
    #[must_use]
    pub fn before<'a>(mut self, ids: impl IntoIterator<Item = &'a str>) -> Self {
        self.options.before = ids.into_iter().map(|id| id.to_owned().into()).collect();
        self
    }

    /// Runs after these hooks, and only in scopes that have them.
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

    /// Runs only where the event's field matches one of these patterns: `.only("tool", "cancel_*|Bash")`.
    #[must_use]
    pub fn only(mut self, field: &str, patterns: &str) -> Self {
        for binding in &mut self.bindings {
            binding.only(field, patterns);
        }
        self
    }

    /// What is done when the hook fails.
    #[must_use]
    pub fn on_failure(mut self, policy: OnFailure) -> Self {
        self.options.on_failure = Some(policy);
        self
    }

    /// Has the function of `other` answer where this one failed; if that fails too, `on_failure` applies. It is made by the
    /// same constructor at the same kind; of `other` itself nothing else counts, neither its id nor its options.
    ///
    /// ```
    /// use hooks_core::prelude::*;
    /// use hooks_core::data::Message;
    ///
    /// let simple = |_: &HookContext, _: &BeforeCreateMessage, row: &mut Message| {
    ///     row.rewrite_text(|text| Some(text.replace('@', " at ")));
    /// };
    /// let precise = |_: &HookContext, _: &BeforeCreateMessage, _: &mut Message| -> Result<(), String> {
    ///     Err("the list of addresses is gone".into())
    /// };
    /// let mask = Hook::writer::<BeforeCreateMessage, _, _, _>("mask", precise)
    ///     .fallback(&Hook::writer::<BeforeCreateMessage, _, _, _>("mask_simply", simple));
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

    /// Whom it concerns; the app itself where nothing is said.
    #[must_use]
    pub fn visibility(mut self, visibility: Visibility) -> Self {
        self.options.visibility = visibility;
        self
    }

    /// What it may contribute, at a kind that takes contributions; whatever the kind offers where nothing is said.
    #[must_use]
    pub fn capabilities(mut self, these: impl IntoIterator<Item = Capability>) -> Self {
        self.options.capabilities = Some(these.into_iter().collect());
        self
    }

    /// Takes parameters from the list that names the hook; the closure finds them with
    /// [`cx.with::<T>()`](HookContext::with).
    #[must_use]
    pub fn parameters<T: Parameters>(mut self) -> Self {
        self.with = Some(WithSpec::of::<T>());
        self
    }

    /// The plugin that it belongs to. A hook that is given to [`Plugin::hook`](crate::plugin::Plugin::hook) need not say it.
    #[must_use]
    pub fn plugin(mut self, name: &str) -> Self {
        self.plugin = Some(name.into());
        self
    }

    /// The operator's overrides can neither disable it nor change its options.
    #[must_use]
    pub fn locked(mut self) -> Self {
        self.locked = true;
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

    /// Where the hook was written.
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
