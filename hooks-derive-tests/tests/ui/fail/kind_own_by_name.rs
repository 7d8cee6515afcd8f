//! A kind of your own is referred to by its type, and its name must be unique.
use hook_sdk::prelude::*;

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
