//! An id has one form. The message suggests the id that was probably meant.
use hook_sdk::prelude::*;

#[hook(id = "RedactPii", kind = before_tool_call)]
//~         ^^^^^^^^^^^
fn pascal_case() {}

#[hook(id = "redact-pii", kind = before_tool_call)]
//~         ^^^^^^^^^^^^
fn kebab_case() {}

#[hook(id = "", kind = before_tool_call)]
//~         ^^
fn empty() {}

#[hook(id = "2nd_hook", kind = before_tool_call)]
//~         ^^^^^^^^^^
fn digit_first() {}

#[hook(id = "größe", kind = before_tool_call)]
//~         ^^^^^^^
fn non_ascii() {}

#[hook(id = "_hidden", kind = before_tool_call)]
//~         ^^^^^^^^^
fn underscore_first() {}

fn main() {}
