//! Unknown options.
use hook_sdk::prelude::*;

#[hook(id = "near", kind = before_tool_call, prioritty = 3)]
//~                                          ^^^^^^^^^
fn near() {}

#[hook(id = "no_filter", kind = before_tool_call, colour = 3)]
//~                                               ^^^^^^
fn no_filter() {}

#[hook(id = "flag", kind = before_tool_call, fast)]
//~                                          ^^^^
fn flag() {}

#[hook(id = "call", kind = before_tool_call, limit(3))]
//~                                          ^^^^^
fn call() {}

fn main() {}
