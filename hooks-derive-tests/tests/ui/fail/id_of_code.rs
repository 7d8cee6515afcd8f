//! An id is a literal: the macro reads it before constants and macros are evaluated.
use hook_sdk::prelude::*;

const ID: &str = "redact_pii";

#[hook(id = ID, kind = before_tool_call)]
//~         ^^
fn constant() {}

#[hook(id = concat!("redact", "_pii"), kind = before_tool_call)]
//~         ^^^^^^
fn of_macro() {}

#[hook(id = "redact_pii".to_string(), kind = before_tool_call)]
//~         ^^^^^^^^^^^^
fn method() {}

#[hook(id = b"redact_pii", kind = before_tool_call)]
//~         ^^^^^^^^^^^^^
fn bytes() {}

#[hook(id = 'r', kind = before_tool_call)]
//~         ^^^
fn character() {}

#[hook(id = ["a", "b"], kind = before_tool_call)]
//~         ^^^^^^^^^^
fn list() {}

fn main() {}
