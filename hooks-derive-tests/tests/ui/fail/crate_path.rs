//! `crate` takes a path.
use hooks_core::prelude::*;

#[hook(id = "not_there", kind = before_tool_call, crate = ::my_hooks)]
//~                                                         ^^^^^^^^
fn not_there(_input: &mut ToolInput) {}

fn main() {}
