//! `kind` takes a name or the path of a type.
use hook_sdk::prelude::*;

#[hook(id = "known", kind = "before_tool_call")]
//~                         ^^^^^^^^^^^^^^^^^^
fn known() {}

#[hook(id = "elsewhere", kind = "PostToolUse")]
//~                             ^^^^^^^^^^^^^
fn elsewhere() {}

#[hook(id = "unknown", kind = "lunch")]
//~                           ^^^^^^^
fn unknown() {}

#[hook(id = "path", kind = kinds::before_tool_call)]
//~                        ^^^^^^^^^^^^^^^^^^^^^^^
fn path() {}

#[hook(id = "number", kind = 3)]
//~                          ^
fn number() {}

#[hook(id = "sum", kind = before_tool_call + filter_messages)]
//~                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
fn sum() {}

#[hook(id = "parentheses", kind(before_tool_call))]
//~                             ^^^^^^^^^^^^^^^^
fn parentheses() {}

fn main() {}
