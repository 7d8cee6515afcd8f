//! A word such as `detached` needs its option: `run = detached`.
use hooks_core::prelude::*;

#[hook(id = "mode", kind = before_tool_call, detached)]
//~                                          ^^^^^^^^
fn mode() {}

#[hook(id = "job", kind = before_tool_call, background)]
//~                                         ^^^^^^^^^^
fn job() {}

fn main() {}
