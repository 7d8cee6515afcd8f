//! Function qualifiers that a hook cannot have.
use hook_sdk::prelude::*;

mod hooks {
    use super::*;

    #[hook(id = "unsafe_hook", kind = before_tool_call)]
    unsafe fn unsafe_hook() {}
//~ ^^^^^^

    #[hook(id = "extern_hook", kind = before_tool_call)]
    extern "C" fn extern_hook() {}
//~ ^^^^^^^^^^

    #[hook(id = "const_hook", kind = before_tool_call)]
    const fn const_hook() {}
//~ ^^^^^

    #[hook(id = "all", kind = before_tool_call)]
    const unsafe extern "C" fn all() {}
//~ ^^^^^ ^^^^^^ ^^^^^^^^^^
}

fn main() {}
