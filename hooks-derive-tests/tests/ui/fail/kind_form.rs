//! `kind` takes a name or the path of a type.
//! `kind` takes a name, not a value.
//! A list of kinds is in square brackets, without quotes.
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

#[hook(id = "call", kind = BeforeToolCall())]
//~                        ^^^^^^^^^^^^^^^^
fn call() {}

#[hook(id = "word_called", kind = before_tool_call())]
//~                               ^^^^^^^^^^^^^^^^^^
fn word_called() {}

#[hook(id = "literal", kind = BeforeToolCall {})]
//~                           ^^^^^^^^^^^^^^^^^
fn literal() {}

#[hook(id = "constructor", kind = BeforeToolCall::new)]
//~                               ^^^^^^^^^^^^^^^^^^^
fn constructor() {}

#[hook(id = "reference", kind = &BeforeToolCall)]
//~                             ^^^^^^^^^^^^^^^
fn reference() {}

#[hook(id = "of_type", kind = BeforeToolCall<ToolInput>)]
//~                           ^^^^^^^^^^^^^^^^^^^^^^^^^
fn of_type() {}

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
