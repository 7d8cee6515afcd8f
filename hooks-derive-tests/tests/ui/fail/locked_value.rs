//! `locked` takes no value.
use hook_sdk::prelude::*;

#[hook(id = "yes", kind = before_tool_call, locked = true)]
//~                                                  ^^^^
fn yes() {}

#[hook(id = "no", kind = before_tool_call, locked = "no")]
//~                                                 ^^^^
fn no() {}

#[hook(id = "call", kind = before_tool_call, locked(enabled))]
//~                                                 ^^^^^^^
fn call() {}

fn main() {}
