//! A group is declared with `group!`, and its hooks have no ids of their own.
use hook_sdk::prelude::*;

mod declared {
    hook_sdk::group! {
        /// Masks.
        pub mask_pii
    }

    hook_sdk::group! { pub MaskPii }
//~ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

    hook_sdk::group! { pub mask_all, optional }
//~ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
}

pub struct Masks;

#[hook(group = declared::mask_pii, id = "rows", kind = before_create_message)]
//~                                ^^
fn rows(_: &mut Message) {}

#[hook(group = "mask_pii", kind = before_create_message)]
//~            ^^^^^^^^^^
fn named(_: &mut Message) {}

fn main() {}
