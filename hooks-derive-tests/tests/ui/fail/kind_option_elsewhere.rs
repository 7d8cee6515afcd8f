//! Names that other systems use for the option `kind`.
use hook_sdk::prelude::*;

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
