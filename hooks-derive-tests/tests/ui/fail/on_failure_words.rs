//! The four failure policies.
use hook_sdk::prelude::*;

#[hook(id = "near", kind = before_tool_call, on_failure = denied)]
//~                                                       ^^^^^^
fn near() {}

#[hook(id = "far", kind = before_tool_call, on_failure = explode)]
//~                                                      ^^^^^^^
fn far() {}

#[hook(id = "text", kind = before_tool_call, on_failure = "deny")]
//~                                                       ^^^^^^
fn text() {}

#[hook(id = "call", kind = before_tool_call, on_failure(deny))]
//~                                                     ^^^^
fn call() {}

fn main() {}
