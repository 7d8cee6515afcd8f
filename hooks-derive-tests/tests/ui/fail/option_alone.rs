//! A word such as `detached` needs its option: `run = detached`.
use hook_sdk::prelude::*;

#[hook(id = "mode", kind = before_tool_call, detached)]
//~                                          ^^^^^^^^
fn mode() {}

#[hook(id = "job", kind = before_tool_call, background)]
//~                                         ^^^^^^^^^^
fn job() {}

fn main() {}
