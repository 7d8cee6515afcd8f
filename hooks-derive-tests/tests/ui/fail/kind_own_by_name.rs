//! A kind of one's own is named by its type, and has a name of its own.
use hooks_core::prelude::*;

#[derive(HookKind)]
#[hook_kind(name = "on_job")]
struct OnJob {}

#[hook(id = "by_its_name", kind = on_job)]
//~                               ^^^^^^
fn by_its_name() {}

#[derive(HookKind)]
#[hook_kind(name = "before_tool_call")]
//~                ^^^^^^^^^^^^^^^^^^
struct Before {}

fn main() {}
