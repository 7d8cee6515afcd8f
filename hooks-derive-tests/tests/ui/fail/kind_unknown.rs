//! An unknown kind. The message suggests the kind that was probably meant.
//! Names that other systems use for the option `kind`.
use hook_sdk::prelude::*;

#[hook(id = "near", kind = before_tol_call)]
//~                        ^^^^^^^^^^^^^^^
fn near() {}

#[hook(id = "far", kind = lunch)]
//~                       ^^^^^
fn far() {}

#[hook(id = "part", kind = before_)]
//~                        ^^^^^^^
fn part() {}

#[hook(id = "Misspelt", kind = BeforeToolCal)]
//~         ^^^^^^^^^^         ^^^^^^^^^^^^^
fn misspelt() {}

#[hook(id = "event", event = "PreToolUse")]
//~                  ^^^^^
fn event() {}

#[hook(id = "on", on = before_tool_call)]
//~               ^^
fn on() {}

#[hook(id = "hook", hook = "before_tool_call")]
//~                 ^^^^
fn hook_() {}

#[hook(id = "type_", type = "lunch")]
//~                  ^^^^
fn type_() {}

fn main() {}
