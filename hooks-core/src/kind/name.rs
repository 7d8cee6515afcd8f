//! Checks the name of a kind when the crate of the kind is compiled.

#![allow(clippy::panic, clippy::missing_panics_doc)] // a constant reports an error by a panic

use crate::text::{ConstText, starts_with};

/// Checks that a kind in `module` does not have the name of a built-in one.
#[track_caller]
pub const fn kind_name(name: &str, module: &str) {
    if !starts_with(module, "hook_sdk::") {
        ConstText::new().add("`").add(name).add("` is a built-in kind; give this kind another name").fail()
    }
}
