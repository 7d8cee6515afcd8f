//! `crate` takes a path.
use hook_sdk::prelude::*;

#[hook(id = "not_there", kind = before_tool_call, crate = ::my_hooks)]
//~                                                         ^^^^^^^^
fn not_there(_input: &mut ToolInput) {}

fn main() {}
