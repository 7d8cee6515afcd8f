//! The name of a plugin has the same form as an id.
use hook_sdk::prelude::*;

#[hook(id = "kebab", kind = before_tool_call, plugin = "acme-guards")]
//~                                                    ^^^^^^^^^^^^^
fn kebab() {}

#[hook(id = "empty", kind = before_tool_call, plugin = "")]
//~                                                    ^^
fn empty() {}

#[hook(id = "path", kind = before_tool_call, plugin = "crate")]
//~                                                   ^^^^^^^
fn path() {}

fn main() {}
