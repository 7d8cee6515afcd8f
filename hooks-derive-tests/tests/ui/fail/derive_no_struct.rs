//! A union cannot be an event.
use hooks_core::prelude::*;

mod kinds {
    use super::*;

    #[derive(HookKind)]
    #[hook_kind(name = "of_union")]
    union OfUnion {
//~ ^^^^^
        a: u8,
        b: u8,
    }
}

fn main() {}
