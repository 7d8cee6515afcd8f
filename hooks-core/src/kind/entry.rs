//! The kinds of a program, collected when it is linked.

use std::fmt;

use super::{HookKind, Removal, Semantics};
use crate::dispatch::{FireJson, fire_json};
use crate::hook::{OnFailure, Origin};
use crate::verdict::{Capabilities, Verdict};

/// What a kind says of itself, without its type: for lists, and for those who know it by its name only.
///
/// ```
/// use hooks_core::kinds;
///
/// let gates = kinds::all().into_iter().filter(|kind| kind.semantics() == hooks_core::Semantics::Gate);
/// assert!(gates.into_iter().any(|kind| kind.name() == "before_tool_call"));
/// ```
pub struct KindEntry {
    name: &'static str,
    semantics: Semantics,
    removable: bool,
    outside_turn: bool,
    on_failure: OnFailure,
    capabilities: Capabilities,
    description: &'static str,
    origin: Origin,
    fields: fn() -> Vec<&'static str>,
    json: Option<FireJson>,
}

inventory::collect!(KindEntry);

impl KindEntry {
    // Not public API. Used by generated code.
    #[doc(hidden)]
    pub const fn of<K: HookKind>(description: &'static str, origin: Origin) -> Self {
        Self {
            name: K::NAME,
            semantics: K::SEMANTICS,
            removable: <K::Removal as Removal<K::Subject>>::ALLOWED,
            outside_turn: K::OUTSIDE_TURN,
            on_failure: K::ON_FAILURE,
            capabilities: Capabilities::of(<K::Verdict as Verdict>::CAPABILITIES),
            description,
            origin,
            fields: || K::FIELDS.iter().map(|field| field.name).collect(),
            json: match K::WIRE {
                Some(_) => Some(fire_json::<K>),
                None => None,
            },
        }
    }

    /// The name in an attribute, in definitions and in records.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What a dispatch does with the answers.
    pub fn semantics(&self) -> Semantics {
        self.semantics
    }

    /// The fields that a hook may filter by.
    pub fn fields(&self) -> Vec<&'static str> {
        (self.fields)()
    }

    /// Whether a hook may remove the subject.
    pub fn is_removable(&self) -> bool {
        self.removable
    }

    /// Whether the kind fires outside a turn, so that only the app's list applies.
    pub fn is_outside_turn(&self) -> bool {
        self.outside_turn
    }

    /// What is done when a hook fails that does not say it itself.
    pub fn on_failure(&self) -> OnFailure {
        self.on_failure
    }

    /// What its hooks may contribute.
    pub fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// Whether it can be fired as JSON.
    pub fn has_json(&self) -> bool {
        self.json.is_some()
    }

    /// The doc comment of the event.
    pub fn description(&self) -> &'static str {
        self.description
    }

    /// Where the event is written.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    pub(crate) fn json(&self) -> Option<FireJson> {
        self.json
    }
}

impl fmt::Debug for KindEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KindEntry")
            .field("name", &self.name)
            .field("semantics", &self.semantics)
            .field("fields", &self.fields())
            .field("origin", &format_args!("{}", self.origin))
            .finish_non_exhaustive()
    }
}

/// All kinds that are linked into this program, those of the app too, by name.
///
/// Two types with one name are both there; a set that has hooks of both is refused.
pub(crate) fn all() -> Vec<&'static KindEntry> {
    let mut kinds: Vec<&KindEntry> = inventory::iter::<KindEntry>.into_iter().collect();
    // Link order differs from build to build.
    kinds.sort_by_key(|kind| (kind.name, kind.origin));
    // A crate whose tests depend on a crate that depends on it is linked twice; that is one kind.
    kinds.dedup_by_key(|kind| (kind.name, kind.origin));
    kinds
}
