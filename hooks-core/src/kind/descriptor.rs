//! What is known of a kind without its type, and the kinds of a program, collected when it is linked.

use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::panic::RefUnwindSafe;

use serde::Serialize;

use super::{HookKind, Removal, Slot};
use crate::failure::OnFailure;
use crate::source::Origin;
use crate::verdict::{Capabilities, Semantics, Verdict};

/// What a kind says of itself, without its type: for lists, and for those who know it by its name only.
///
/// ```
/// use hooks_core::kinds;
///
/// let gates = kinds::all().into_iter().filter(|kind| kind.semantics == hooks_core::Semantics::Gate);
/// assert!(gates.into_iter().any(|kind| kind.name == "before_tool_call"));
/// ```
#[derive(Serialize)]
#[non_exhaustive]
pub struct KindDescriptor {
    /// The name in an attribute, in definitions and in records.
    pub name: &'static str,
    /// What a dispatch does with the answers.
    pub semantics: Semantics,
    /// Whether a hook may remove the subject.
    pub removable: bool,
    /// Whether the kind fires outside a turn, so that only the app's list applies.
    pub outside_turn: bool,
    /// What is done when a hook fails that does not set `on_failure`.
    pub on_failure: OnFailure,
    /// What its hooks may contribute.
    #[serde(skip_serializing_if = "Capabilities::is_none")]
    pub capabilities: Capabilities,
    /// The fields that a hook may filter by.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub fields: &'static [&'static str],
    /// All fields of the event.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub event_fields: &'static [&'static str],
    /// Whether it can be fired as JSON.
    pub json: bool,
    /// The doc comment of the event.
    pub description: &'static str,
    /// Where the event is written.
    pub origin: Origin,
    #[serde(skip)]
    pub(crate) event: fn() -> TypeId,
    /// The path of the event's type, for messages that say what to write.
    #[serde(skip)]
    pub(crate) path: fn() -> &'static str,
    #[serde(skip)]
    pub(crate) slot: fn() -> &'static Slot,
    /// The code that plans, fires and reads the kind. It belongs to lower layers, so its type is unknown here. The kind's
    /// crate compiles it once, not every crate that has hooks of the kind.
    #[serde(skip)]
    pub(crate) engine: &'static (dyn Any + Send + Sync),
}

impl KindDescriptor {
    // Not public API. Used by generated code.
    #[doc(hidden)]
    pub const fn of<K: HookKind>(
        fields: &'static [&'static str],
        event_fields: &'static [&'static str],
        description: &'static str,
        origin: Origin,
        engine: &'static (dyn Any + Send + Sync),
    ) -> Self {
        Self {
            name: K::NAME,
            semantics: K::SEMANTICS,
            removable: <K::Removal as Removal<K::Subject>>::ALLOWED,
            outside_turn: K::OUTSIDE_TURN,
            on_failure: K::ON_FAILURE,
            capabilities: Capabilities::of(<K::Verdict as Verdict>::CAPABILITIES),
            fields,
            event_fields,
            description,
            origin,
            json: K::WIRE.is_some(),
            event: TypeId::of::<K>,
            path: type_name::<K>,
            slot: K::slot,
            engine,
        }
    }

    /// Whether a hook of the kind may have this policy.
    pub(crate) fn offers(&self, policy: OnFailure) -> bool {
        match policy {
            OnFailure::Deny => self.semantics == Semantics::Gate,
            OnFailure::Remove => self.removable,
            OnFailure::Continue | OnFailure::Required => true,
        }
    }

    /// Whether it is the kind of `K`.
    pub(crate) fn is<K: HookKind>(&self) -> bool {
        (self.event)() == TypeId::of::<K>()
    }
}

// Nothing of it ever changes.
impl RefUnwindSafe for KindDescriptor {}

impl PartialEq for KindDescriptor {
    /// Each type has one.
    fn eq(&self, other: &Self) -> bool {
        (self.event)() == (other.event)()
    }
}

impl fmt::Debug for KindDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KindDescriptor")
            .field("name", &self.name)
            .field("semantics", &self.semantics)
            .field("fields", &self.fields)
            .field("origin", &format_args!("{}", self.origin))
            .finish_non_exhaustive()
    }
}

/// A kind as the derive submits it.
#[derive(Debug)]
pub struct Submitted(pub fn() -> &'static KindDescriptor);

inventory::collect!(Submitted);

/// All kinds that are linked into this program, those of the app too, by name.
///
/// Two types with one name are both there; a set that has hooks of both is refused.
pub(crate) fn all() -> Vec<&'static KindDescriptor> {
    let mut kinds: Vec<&KindDescriptor> = inventory::iter::<Submitted>.into_iter().map(|kind| (kind.0)()).collect();
    // Link order differs from build to build.
    kinds.sort_by_key(|kind| (kind.name, kind.origin));
    // A crate whose tests depend on a crate that depends on it is linked twice; that is one kind.
    kinds.dedup_by_key(|kind| (kind.name, kind.origin));
    kinds
}
