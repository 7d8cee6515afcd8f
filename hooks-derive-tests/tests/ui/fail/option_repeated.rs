//! Each option appears once.
use hook_sdk::prelude::*;

#[hook(id = "first", id = "second", kind = before_tool_call, kind = filter_messages)]
//~                  ^^                                      ^^^^
fn id_and_kind() {}

#[hook(id = "third", kind = before_tool_call, tool = "a", priority = 1, tool = "b", priority = 2)]
//~                                                                     ^^^^        ^^^^^^^^
fn others() {}

fn main() {}
