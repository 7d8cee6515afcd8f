//! What can be hooked: the trait of a kind, and what a kind says of itself.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

mod entry;
mod wire;

use crate::hook::{KindInfo, OnFailure};
use crate::verdict::Verdict;
pub use entry::KindEntry;
pub(crate) use entry::all;
pub use wire::Wire;

/// A point in an agent's life at which hooks run.
///
/// The implementing type is the *event*: what every hook of the kind may read and none may change. Derive it:
///
/// ```
/// use hooks_core::prelude::*;
///
/// #[derive(Clone, PartialEq)]
/// pub struct Refund {
///     pub cents: u64,
/// }
///
/// /// Runs before a refund is paid.
/// #[derive(HookKind)]
/// #[hook_kind(name = "before_refund", subject = Refund, verdict = Permission, match(region))]
/// pub struct BeforeRefund {
///     pub region: String,
/// }
///
/// assert_eq!(BeforeRefund::NAME, "before_refund");
/// assert_eq!(BeforeRefund::SEMANTICS, Semantics::Gate);
/// ```
///
/// The derive accepts `name` (required, `snake_case`), `subject` and `verdict` (`()` where left out), `removable` (hooks
/// may remove the subject), `match(field, …)` or `match(option = path.to.field, …)` (fields that `#[hook]` may filter
/// by), `check = path` (see [`check`](Self::check)), `outside_turn` (only the app's list is read), `on_failure = policy`
/// (what holds for hooks that say nothing), `json` (see [`fire_json`](crate::HookSet::fire_json)) and `crate = path`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a hook kind",
    label = "not a kind",
    note = "write one of the built-in kinds in snake_case, such as `before_tool_call`, or a type with `#[derive(HookKind)]`"
)]
pub trait HookKind: Sized + Send + Sync + 'static {
    /// What flows through the chain and may be rewritten; `()` where there is nothing to rewrite.
    ///
    /// Its `Clone` is the price of a transaction, so keep it cheap: one `Arc` wide is best.
    type Subject: Clone + Send + Sync + 'static;

    /// What hooks decide besides the subject; `()` where there is nothing to decide.
    type Verdict: Verdict;

    /// Whether a hook may remove the subject: [`Allowed`] or [`Never`].
    type Removal: Removal<Self::Subject>;

    /// The name in an attribute, in definitions and in records.
    const NAME: &'static str;

    /// What a dispatch does with the answers.
    const SEMANTICS: Semantics;

    /// Whether the kind fires outside a turn, so that only the app's list applies.
    const OUTSIDE_TURN: bool = false;

    /// What is done when a hook fails that does not say it itself: a gate refuses, everything else goes on without the hook.
    const ON_FAILURE: OnFailure = OnFailure::of(Self::SEMANTICS);

    /// The fields of the event that a hook may filter by.
    const FIELDS: &'static [Field<Self>];

    /// How event, subject and verdict are written as JSON; `None` where the kind does not say `json`.
    #[doc(hidden)]
    const WIRE: Option<fn() -> Wire<Self>> = None;

    /// Checks what a writer left, after each writer that changed something.
    ///
    /// A violation is that hook's failure: its changes are dropped. Compare with `before` so that nobody is blamed for a
    /// defect that was there already.
    ///
    /// # Errors
    /// A [`Violation`] that says which rule the change broke.
    fn check(&self, before: &Self::Subject, after: &Self::Subject) -> Result<(), Violation> {
        let _ = (before, after);
        Ok(())
    }

    /// Whether a writer left the subject as it was. The derive compares with `PartialEq` where the subject has it, and
    /// takes every successful write for a change where it has not.
    #[doc(hidden)]
    fn same(before: &Self::Subject, after: &Self::Subject) -> bool {
        let _ = (before, after);
        false
    }

    // Not public API. Made by the derive; where a set keeps the plan of this kind.
    #[doc(hidden)]
    fn slot() -> &'static Slot;

    // Not public API. Made by the derive; what is known of the kind without its type. It holds the code that makes plans,
    // which is therefore compiled in the kind's crate and not again in every crate that has hooks of the kind.
    #[doc(hidden)]
    fn info() -> &'static KindInfo;
}

/// What a dispatch does with its hooks' answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Semantics {
    /// The subject flows through; nothing is decided.
    Transform,
    /// A transform with a [`Permission`](crate::verdict::Permission).
    Gate,
    /// The answer says how the turn goes on.
    Control,
    /// Hooks only add contributions.
    Contribute,
    /// Hooks only observe.
    Event,
}

impl Semantics {
    /// The word used in messages and in a plan's display.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Transform => "transform",
            Self::Gate => "gate",
            Self::Control => "control",
            Self::Contribute => "contribute",
            Self::Event => "event",
        }
    }
}

impl fmt::Display for Semantics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A field of an event that `#[hook]` may filter by, as in `tool = "cancel_*"`.
pub struct Field<K> {
    /// The option's name.
    pub name: &'static str,
    /// Reads the value that the pattern is held against.
    pub get: fn(&K) -> &str,
    /// The words that the value may be, where its type knows them.
    #[doc(hidden)]
    pub words: Option<crate::compile_time::KnownWords>,
}

impl<K> fmt::Debug for Field<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Field").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The rule that a writer's change broke.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{rule}")]
pub struct Violation {
    rule: String,
}

impl Violation {
    /// A violation of `rule`, one sentence in lower case.
    pub fn new(rule: impl Into<String>) -> Self {
        Self { rule: rule.into() }
    }
}

/// How a kind treats removal, and so what a dispatch gives back.
pub trait Removal<S>: Send + Sync + 'static {
    /// What [`Fired::subject`](crate::dispatch::Fired::subject) is.
    type Kept: Send;
    /// Whether hooks may remove the subject.
    const ALLOWED: bool;
    // Not public API.
    #[doc(hidden)]
    fn kept(subject: S, removed: bool) -> Self::Kept;
    // Not public API.
    #[doc(hidden)]
    fn left(kept: Self::Kept) -> Option<S>;
}

/// The subject always stays.
#[derive(Debug)]
pub enum Never {}

/// A hook may remove the subject by returning `None`.
#[derive(Debug)]
pub enum Allowed {}

impl<S: Send> Removal<S> for Never {
    type Kept = S;
    const ALLOWED: bool = false;
    #[inline]
    fn kept(subject: S, _removed: bool) -> S {
        subject
    }

    fn left(kept: S) -> Option<S> {
        Some(kept)
    }
}

impl<S: Send> Removal<S> for Allowed {
    type Kept = Option<S>;
    const ALLOWED: bool = true;
    #[inline]
    fn kept(subject: S, removed: bool) -> Option<S> {
        (!removed).then_some(subject)
    }

    fn left(kept: Option<S>) -> Option<S> {
        kept
    }
}

/// What a dispatch of `K` gives back: the subject, or an `Option` of it where hooks may remove it.
pub type Kept<K> = <<K as HookKind>::Removal as Removal<<K as HookKind>::Subject>>::Kept;

/// A kind whose subject a hook may remove by returning `None`.
pub trait Removable: HookKind {}

/// The number of a kind within every set of this process: 0 while no set holds a hook of it.
///
/// Finding a plan is then one load and one index, whatever the number of kinds.
#[derive(Debug)]
pub struct Slot(AtomicUsize);

static NEXT_SLOT: AtomicUsize = AtomicUsize::new(1);

impl Slot {
    // Not public API. Used by generated code.
    #[doc(hidden)]
    #[must_use]
    #[allow(clippy::new_without_default)] // const, and only for a static
    pub const fn new() -> Self {
        Self(AtomicUsize::new(0))
    }

    /// The number; 0 means that no set of this process has a hook of this kind.
    #[inline]
    pub(crate) fn number(&self) -> usize {
        // Relaxed: a set that holds the kind was given to this thread after its number was stored.
        self.0.load(Ordering::Relaxed)
    }

    /// The number, assigned now if there is none yet.
    pub(crate) fn assign(&self) -> usize {
        match self.number() {
            0 => {
                let fresh = NEXT_SLOT.fetch_add(1, Ordering::Relaxed);
                self.0
                    .compare_exchange(0, fresh, Ordering::AcqRel, Ordering::Acquire)
                    .map_or_else(|taken| taken, |_| fresh)
            }
            number => number,
        }
    }
}
