//! The context is taken by shared reference.
use hook_sdk::prelude::*;

#[hook(id = "lent", kind = before_tool_call)]
fn lent(_cx: &mut HookContext) {}
//~               ^^^^^^^^^^^

#[hook(id = "owned", kind = before_tool_call)]
async fn owned(_cx: HookContext) -> Permission {
//~                 ^^^^^^^^^^^     ^^^^^^^^^^
    Permission::Allow
}

#[hook(id = "optional", kind = before_tool_call)]
fn optional(_cx: Option<&HookContext>) -> Permission {
//~              ^^^^^^^^^^^^^^^^^^^^     ^^^^^^^^^^
    Permission::Allow
}

#[hook(id = "shared", kind = before_tool_call)]
fn shared(_cx: &std::sync::Arc<HookContext>) {}
//~             ^^^^^^^^^^^^^^^^^^^^^^^^^^^

fn main() {}
