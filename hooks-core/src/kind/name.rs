//! Checks the name of a kind when the crate of the kind is compiled.

#![allow(clippy::panic, clippy::missing_panics_doc)] // a constant reports an error by a panic

use crate::text::ConstText;

/// Checks that a kind in `module` does not have the name of a built-in one.
#[track_caller]
pub const fn kind_name(name: &str, module: &str) {
    let (ours, module) = (b"hook_sdk::".as_slice(), module.as_bytes());
    let mut i = 0;
    while i < ours.len() && i < module.len() && module[i] == ours[i] {
        i += 1;
    }
    if i < ours.len() {
        let text = ConstText::new().add("`").add(name).add("` is a built-in kind; give this kind another name");
        panic!("{}", text.as_str())
    }
}
