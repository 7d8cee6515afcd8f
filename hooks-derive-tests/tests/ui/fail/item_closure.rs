//! A closure has to be registered as a value.
use hook_sdk::prelude::*;

mod hooks {
    use super::*;

    #[hook(id = "static_closure", kind = before_tool_call)]
    static GUARD: fn(&ToolInput) -> Permission = |_| Permission::allow();
//~ ^^^^^^

    #[hook(id = "constant_closure", kind = before_tool_call)]
    const ALLOW: fn() -> Permission = || Permission::allow();
//~ ^^^^^
}

fn main() {}
