//! `crate` takes exactly one path.
use hook_sdk::prelude::*;

#[hook(id = "text", kind = before_tool_call, crate = "hook_sdk")]
//~                                                  ^^^^^^^^^^
fn text() {}

#[hook(id = "flag", kind = before_tool_call, crate)]
//~                                          ^^^^^
fn flag() {}

#[hook(id = "twice", kind = before_tool_call, crate = ::hook_sdk, crate = ::hook_sdk)]
//~                                                               ^^^^^
fn twice() {}

#[derive(HookKind)]
#[hook_kind(name = "own", crate = "hook_sdk")]
//~                               ^^^^^^^^^^
pub struct Own;

fn main() {}
