//! An id is a string.
use hook_sdk::prelude::*;

#[hook(id = redact_pii, kind = before_tool_call)]
//~         ^^^^^^^^^^
fn word() {}

#[hook(id = 7, kind = before_tool_call)]
//~         ^
fn number() {}

#[hook(id, kind = before_tool_call)]
//~    ^^
fn nothing() {}

#[hook(id("redact_pii"), kind = before_tool_call)]
//~       ^^^^^^^^^^^^
fn parentheses() {}

#[hook(id =, kind = before_tool_call)]
//~    ^^
fn no_value() {}

#[hook("redact_pii", id = "bare", kind = before_tool_call)]
//~    ^^^^^^^^^^^^
fn no_key() {}

fn main() {}
