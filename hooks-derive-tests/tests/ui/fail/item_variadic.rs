//! C-variadic functions.
use hook_sdk::prelude::*;

mod hooks {
    use super::*;

    #[hook(id = "variadic", kind = before_tool_call)]
    unsafe extern "C" fn variadic(_count: &u32, _rest: ...) {}
//~ ^^^^^^ ^^^^^^^^^^                                  ^^^
//~ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
}

fn main() {}
