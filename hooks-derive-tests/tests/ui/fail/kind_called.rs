//! `kind` takes a name, not a value.
use hook_sdk::prelude::*;

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

fn main() {}
