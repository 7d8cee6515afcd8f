//! Options are separated by commas. If a comma is missing, the other options are still checked.
use hook_sdk::prelude::*;

#[hook(id = "behind_id" kind = before_tool_call)]
//~                     ^^^^
fn behind_id() {}

#[hook(id = "behind_kind", kind = before_tool_call locked retries = "x")]
//~                                                ^^^^^^ ^^^^^^^   ^^^
//~                                                       ^^^^^^^
fn behind_kind() {}

#[hook(id = "no_value", kind = before_tool_call, locked =, priority =, visibility[debug])]
//~                                              ^^^^^^    ^^^^^^^^    ^^^^^^^^^^
fn no_value() {}

fn main() {}
