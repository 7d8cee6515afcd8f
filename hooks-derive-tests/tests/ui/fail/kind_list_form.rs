//! A list of kinds is in square brackets, without quotes.
use hook_sdk::prelude::*;

#[hook(id = "texts", kind = ["before_tool_call", "PostToolUse"])]
//~                          ^^^^^^^^^^^^^^^^^^  ^^^^^^^^^^^^^
fn texts() {}

#[hook(id = "tuple", kind = (before_tool_call, after_tool_call_success))]
//~                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
fn tuple() {}

#[hook(id = "alternatives", kind = before_tool_call | after_tool_call_success)]
//~                                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
fn alternatives() {}

#[hook(id = "one_text", kind = "before_tool_call|after_tool_call_success")]
//~                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
fn one_text() {}

#[hook(id = "all", kind = "*")]
//~                       ^^^
fn all() {}

#[hook(id = "nested", kind = [[before_tool_call]])]
//~                           ^^^^^^^^^^^^^^^^^^
fn nested() {}

#[hook(id = "two_options", kind = before_tool_call, kind = after_tool_call_success)]
//~                                                 ^^^^
fn two_options() {}

fn main() {}
