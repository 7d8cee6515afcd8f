//! Descriptors of kinds, and the list of all kinds of a program, collected at link time.

use std::any::{Any, TypeId, type_name};
use std::panic::RefUnwindSafe;
use std::sync::LazyLock;

use serde::Serialize;

use super::{HookKind, Removal, Slot};
use crate::failure::OnFailure;
use crate::source::Origin;
use crate::tables::debug_of;
use crate::text::starts_with;
use crate::verdict::{Capabilities, Semantics, Verdict};
use crate::words::KnownWords;

/// The description of a kind without its type, for lists and for code that knows the kind only by name.
///
/// ```
/// use hook_sdk::kinds;
///
/// let gates = kinds::all().into_iter().filter(|kind| kind.semantics == hook_sdk::Semantics::Gate);
/// assert!(gates.into_iter().any(|kind| kind.name == "before_tool_call"));
/// ```
#[derive(Serialize)]
#[non_exhaustive]
pub struct KindDescriptor {
    /// The kind's name in attributes, definitions and records.
    pub name: &'static str,
    /// How a dispatch treats the hooks' answers.
    pub semantics: Semantics,
    /// Whether a hook may remove the subject.
    pub removable: bool,
    /// Whether the kind fires outside of turns, so that only the app's list applies.
    pub outside_turn: bool,
    /// The policy for a hook that does not set `on_failure`.
    pub on_failure: OnFailure,
    /// What hooks of the kind may contribute.
    #[serde(skip_serializing_if = "Capabilities::is_empty")]
    pub capabilities: Capabilities,
    /// The fields by which a hook may filter.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub fields: &'static [&'static str],
    /// All fields of the event.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub event_fields: &'static [&'static str],
    /// Whether the kind can be fired as JSON: see [`fire_json`](crate::HookSet::fire_json).
    pub json: bool,
    /// The doc comment of the event.
    pub description: &'static str,
    /// The position of the event's type in the source.
    pub origin: Origin,
    #[serde(skip)]
    pub(crate) event: fn() -> TypeId,
    /// The path of the event's type, for messages.
    #[serde(skip)]
    pub(crate) path: fn() -> &'static str,
    #[serde(skip)]
    pub(crate) slot: fn() -> &'static Slot,
    /// The known words of a field.
    #[serde(skip)]
    pub(crate) words: fn(usize) -> Option<KnownWords>,
    /// See [`KindEngine`]. `None` for a built-in kind, so that a program has the code of those that it uses.
    #[serde(skip)]
    pub(crate) engine: Option<&'static (dyn Any + Send + Sync)>,
}

impl KindDescriptor {
    // Not public API. Used by generated code.
    #[doc(hidden)]
    pub const fn of<K: KindEngine>(
        fields: &'static [&'static str],
        event_fields: &'static [&'static str],
        description: &'static str,
        origin: Origin,
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
            words: |field| K::FIELDS[field].words,
            engine: if starts_with(origin.module, "hook_sdk::kinds") { None } else { Some(K::ENGINE) },
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

    /// Whether this is the descriptor of `K`.
    pub(crate) fn is<K: HookKind>(&self) -> bool {
        (self.event)() == TypeId::of::<K>()
    }
}

// It is immutable.
impl RefUnwindSafe for KindDescriptor {}

impl PartialEq for KindDescriptor {
    /// Every event type has exactly one descriptor.
    fn eq(&self, other: &Self) -> bool {
        (self.event)() == (other.event)()
    }
}

debug_of!(KindDescriptor, self => {
    name: self.name, semantics: self.semantics, fields: self.fields, origin: format_args!("{}", self.origin)
});

/// The code that plans and fires a kind. Every kind has it, from the layer that implements this trait; here its type is
/// unknown.
pub trait KindEngine: HookKind {
    /// The code.
    const ENGINE: &'static (dyn Any + Send + Sync);
}

/// A kind as the derive registers it.
#[derive(Debug)]
pub struct LinkedKind(pub &'static KindDescriptor);

inventory::collect!(LinkedKind);

/// All kinds linked into this program, built-in ones and the app's, sorted by name.
///
/// If two types have the same name, both are listed; a set with hooks of both is an error.
pub(crate) fn all() -> &'static [&'static KindDescriptor] {
    // Collected once: firing a kind by name looks it up here.
    static ALL: LazyLock<Vec<&KindDescriptor>> = LazyLock::new(|| {
        let mut kinds: Vec<_> = inventory::iter::<LinkedKind>.into_iter().map(|kind| kind.0).collect();
        // Link order differs from build to build.
        kinds.sort_by_key(|kind| (kind.name, kind.origin));
        // A crate is linked twice if its tests depend on a crate that depends on it. Both copies are one kind.
        kinds.dedup_by_key(|kind| (kind.name, kind.origin));
        kinds
    });
    &ALL
}
