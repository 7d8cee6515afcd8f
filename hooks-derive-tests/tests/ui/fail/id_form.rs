//! An id has one form. The message suggests the id that was probably meant.
//! Ids with characters that other systems allow.
//! Rust keywords are valid ids, except those that are path segments.
//! An id is a string.
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

#[hook(id = "plugin:redact", kind = before_tool_call)]
//~         ^^^^^^^^^^^^^^^
fn colon() {}

#[hook(id = "guards/redact", kind = before_tool_call)]
//~         ^^^^^^^^^^^^^^^
fn slash() {}

#[hook(id = "guards.redact", kind = before_tool_call)]
//~         ^^^^^^^^^^^^^^^
fn dot() {}

#[hook(id = " redact ", kind = before_tool_call)]
//~         ^^^^^^^^^^
fn spaces() {}

#[hook(id = "redact*", kind = before_tool_call)]
//~         ^^^^^^^^^
fn star() {}

#[hook(id = "REDACT_PII", kind = before_tool_call)]
//~         ^^^^^^^^^^^^
fn upper_case() {}

#[hook(id = "self", kind = before_tool_call)]
//~         ^^^^^^
fn of_self() {}

#[hook(id = "crate", kind = before_tool_call)]
//~         ^^^^^^^
fn of_crate() {}

#[hook(id = "super", kind = before_tool_call)]
//~         ^^^^^^^
fn of_super() {}

#[hook(id = "type", kind = before_tool_call)]
fn of_type() {}

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
