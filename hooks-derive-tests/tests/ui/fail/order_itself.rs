//! A hook cannot be ordered relative to itself.
use hook_sdk::prelude::*;

#[hook(id = "first", kind = before_tool_call, after = ["first"])]
//~                                                    ^^^^^^^
fn first() {}

#[hook(before = ["second"], requires = ["second"], id = "second", kind = before_tool_call)]
//~              ^^^^^^^^               ^^^^^^^^
fn second() {}

fn main() {}
