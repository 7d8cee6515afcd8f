//! Not public API. Checks an attribute's options against its kind when the user's crate is compiled.
//!
//! A failed check is a panic in a constant, reported at the user's token. The message is built from the constants of
//! the kind, so that an app's kind gets the same messages as a built-in one.

#![allow(clippy::panic, clippy::missing_panics_doc)] // a constant reports an error by a panic

mod words;

pub(crate) use words::unknown_word;
pub use words::words;

use super::parameters::Need;
use crate::failure::OnFailure;
use crate::id::HookId;
use crate::kind::{HookKind, Removal};
use crate::text::{ConstText as Text, starts_with};
use crate::verdict::{Capabilities, Capability, Semantics, Verdict};

/// The id of a group.
#[track_caller]
pub const fn id(id: &'static str) -> &'static str {
    // A keyword, as in `r#type`.
    let word = if let [b'r', b'#', word @ ..] = id.as_bytes() { word } else { id.as_bytes() };
    let Ok(id) = std::str::from_utf8(word) else { return id };
    assert!(
        HookId::is_valid(id),
        "an id is `snake_case`: a lower-case letter, then lower-case letters, digits and `_`"
    );
    id
}

const fn find<K: HookKind>(name: &str) -> Option<usize> {
    let mut i = 0;
    while i < K::FIELDS.len() {
        if equal(K::FIELDS[i].name, name) {
            return Some(i);
        }
        i += 1;
    }
    None
}

const fn equal(a: &str, b: &str) -> bool {
    a.len() == b.len() && starts_with(a, b)
}

/// Checks that a hook may filter by `name`. If `name` is an option of another system, `here` is what corresponds to it.
#[track_caller]
pub const fn filter<K: HookKind>(name: &str, here: &str) {
    if find::<K>(name).is_some() {
        return;
    }
    let mut text = Text::new();
    if !here.is_empty() {
        text = text.add("here, `").add(name).add("` is ").add(here).add("; ");
    }
    text = text.add("a hook at `").add(K::NAME).add("` cannot filter by `").add(name).add("`; ");
    if K::FIELDS.is_empty() {
        text = text.add("its event has no filter fields");
    } else {
        text = text.add("its filter fields are ").list(K::DESCRIPTOR.fields);
    }
    text.fail()
}

/// Checks that `setup!` is in the crate root, given its module path.
#[track_caller]
pub const fn root(path: &str) {
    let mut i = 0;
    while i < path.len() {
        if path.as_bytes()[i] == b':' {
            Text::new()
                .add("`setup!` must be in the root of a crate, but this is the module `")
                .add(path)
                .add("`, where it has no effect")
                .fail()
        }
        i += 1;
    }
}

/// Checks a hook with `on_failure`.
#[track_caller]
pub const fn policy<K: HookKind>(policy: OnFailure) {
    let text = match policy {
        OnFailure::Remove if !<K::Removal as Removal<K::Subject>>::ALLOWED => Text::new()
            .add("`on_failure = remove` needs a kind whose subject may be removed, but `")
            .add(K::NAME)
            .add("` is not; write `continue` or `required`"),
        OnFailure::Deny if !matches!(K::SEMANTICS, Semantics::Gate) => Text::new()
            .add("`on_failure = deny` needs a gate, but `")
            .add(K::NAME)
            .add("` is not one (its semantics: ")
            .add(K::SEMANTICS.as_str())
            .add("); write `required` to stop with an error"),
        _ => return,
    };
    text.fail()
}

/// Checks a hook with `capabilities`.
#[track_caller]
pub const fn contributes<K: HookKind>() {
    if <K::Verdict as Verdict>::CAPABILITIES.is_empty() {
        Text::new()
            .add("a hook at `")
            .add(K::NAME)
            .add("` contributes nothing, so `capabilities` has no effect (its semantics: ")
            .add(K::SEMANTICS.as_str())
            .add("); remove it")
            .fail()
    }
}

/// Checks a hook with `run = background`.
#[track_caller]
pub const fn background<K: HookKind>() {
    if K::WIRE.is_none() {
        Text::new()
            .add("`run = background` stores event and subject as JSON, but `")
            .add(K::NAME)
            .add("` cannot be serialized as JSON; add `json` to its `#[hook_kind(…)]`, or write `run = detached`")
            .fail()
    }
}

/// Checks that a hook may contribute `this`. If its kind takes no contributions at all, [`contributes`] has reported
/// it.
#[track_caller]
pub const fn capability<K: HookKind>(this: Capability) {
    let offered = <K::Verdict as Verdict>::CAPABILITIES;
    if offered.is_empty() || Capabilities::of(offered).has(this) {
        return;
    }
    let mut text = Text::new().add("a hook at `").add(K::NAME).add("` cannot contribute `").add(this.as_str());
    text = text.add("`; it can ");
    let mut i = 0;
    while i < offered.len() {
        if i > 0 {
            text = text.add(", ");
        }
        text = text.add("`").add(offered[i].as_str()).add("`");
        i += 1;
    }
    text.fail()
}

/// Checks that a hook takes only one set of parameters from a list, given its earlier parameters.
#[track_caller]
pub const fn parameters_once(earlier: &[Need], this: Need) {
    let mut i = 0;
    while i < earlier.len() {
        assert!(
            !matches!((earlier[i], this), (Need::With(_), Need::With(_))),
            "a hook can take only one `&With<…>`; make all parameters fields of one type"
        );
        i += 1;
    }
}

/// Checks that the two kinds of a hook are not the same kind under two names.
#[track_caller]
pub const fn distinct<K: HookKind, Other: HookKind>() {
    if equal(K::NAME, Other::NAME) {
        Text::new().add("`").add(K::NAME).add("` appears twice; keep one").fail()
    }
}
