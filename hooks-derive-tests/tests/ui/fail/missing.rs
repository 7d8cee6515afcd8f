//! Id and kind are required. There is no token to point at but the attribute.
use hooks_core::prelude::*;

mod hooks {
    use super::*;

    #[hook(kind = before_tool_call)]
//~ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    fn no_id() {}

    #[hook(id = "no_kind")]
//~ ^^^^^^^^^^^^^^^^^^^^^^^
    fn no_kind() {}

    #[hook]
//~ ^^^^^^^
    fn neither() {}
}

fn main() {}
