//! `crate` takes exactly one path.
use hooks_core::prelude::*;

#[hook(id = "text", kind = before_tool_call, crate = "hooks_core")]
//~                                                  ^^^^^^^^^^^^
fn text() {}

#[hook(id = "flag", kind = before_tool_call, crate)]
//~                                          ^^^^^
fn flag() {}

#[hook(id = "twice", kind = before_tool_call, crate = ::hooks_core, crate = ::hooks_core)]
//~                                                                 ^^^^^
fn twice() {}

#[derive(HookKind)]
#[hook_kind(name = "own", crate = "hooks_core")]
//~                               ^^^^^^^^^^^^
pub struct Own;

fn main() {}
