//! A union cannot be an event.
use hook_sdk::prelude::*;

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
