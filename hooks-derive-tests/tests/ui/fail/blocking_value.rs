//! `blocking` takes no value.
use hook_sdk::prelude::*;

#[hook(id = "yes", kind = before_tool_call, blocking = true)]
//~                                                    ^^^^
fn yes() {}

#[hook(id = "quoted", kind = before_tool_call, blocking = "yes")]
//~                                                       ^^^^^
fn quoted() {}

#[hook(id = "in_brackets", kind = before_tool_call, blocking(2))]
//~                                                          ^
fn in_brackets() {}

#[hook(id = "nothing", kind = before_tool_call, blocking =)]
//~                                             ^^^^^^^^
fn nothing() {}

fn main() {}
