//! A timeout on a plain function, together with other mistakes.
use hook_sdk::prelude::*;

#[hook(id = "plain", kind = before_tool_call, timeout = "5", priority = "low")]
//~                                           ^^^^^^^   ^^^             ^^^^^
fn plain() {}

#[hook(id = "none", kind = before_tool_call, timeout = none, on_failure = denied)]
//~                                          ^^^^^^^                      ^^^^^^
fn none() {}

fn main() {}
