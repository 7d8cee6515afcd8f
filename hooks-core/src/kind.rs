//! What can be hooked: the trait of a kind, and what a kind says of itself.

pub mod bounds;
#[doc(hidden)]
pub(crate) mod compare;
mod descriptor;
mod removal;
mod slot;
mod wire;

use std::fmt;

pub(crate) use bounds::Serde;
#[doc(hidden)]
pub use bounds::{FieldText, Json, JsonType, KindType, NoJson, OwnedEvent, SubjectType, VerdictType};
#[doc(hidden)]
pub use compare::{ByEq, ByNothing, Same};
pub use descriptor::KindDescriptor;
#[doc(hidden)]
pub use descriptor::Submitted;
pub(crate) use descriptor::all;
pub use removal::{Allowed, Kept, Never, Removable, Removal};
pub use slot::Slot;
pub use wire::Wire;

pub use crate::data::Violation;
use crate::failure::OnFailure;
pub use crate::verdict::Semantics;
use crate::verdict::Verdict;

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
/// (what holds for hooks that say nothing), `new(field, …)` (a constructor, and setters for the other fields), `json` (see [`fire_json`](crate::HookSet::fire_json)) and `crate = path`.
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

    /// Whether it fires within a turn, which its hooks may then end with a [`Halt`](crate::verdict::Halt).
    #[doc(hidden)]
    const IN_TURN: bool = true;

    /// What is done when a hook fails that does not say it itself: a gate refuses, everything else goes on without the hook.
    const ON_FAILURE: OnFailure = default_policy(Self::SEMANTICS);

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

    // Not public API. Made by the derive; what is known of the kind without its type.
    #[doc(hidden)]
    fn descriptor() -> &'static KindDescriptor;
}

/// A gate that cannot answer refuses; everything else goes on without the hook.
const fn default_policy(semantics: Semantics) -> OnFailure {
    match semantics {
        Semantics::Gate => OnFailure::Deny,
        _ => OnFailure::Continue,
    }
}

/// The semantics of a kind from its verdict and whether it has a subject.
#[doc(hidden)]
pub const fn semantics<V: Verdict>(has_subject: bool) -> Semantics {
    match V::SEMANTICS {
        Some(semantics) => semantics,
        None if has_subject => Semantics::Transform,
        None => Semantics::Event,
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
    pub words: Option<crate::words::KnownWords>,
}

impl<K> fmt::Debug for Field<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Field").field("name", &self.name).finish_non_exhaustive()
    }
}
