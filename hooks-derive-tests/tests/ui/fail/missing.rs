//! The kind is required. The error is at the attribute, because there is no other token.
use hook_sdk::prelude::*;

mod hooks {
    use super::*;

    #[hook(id = "no_kind")]
//~ ^^^^^^^^^^^^^^^^^^^^^^^
    fn no_kind() {}

    #[hook]
//~ ^^^^^^^
    fn neither() {}
}

fn main() {}
