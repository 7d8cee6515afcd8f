//! Names that other systems use for the id.
//! An id is a literal: the macro reads it before constants and macros are evaluated.
//! Without `id`, the name of the function is the id, so it has the form of one.
use hook_sdk::prelude::*;

#[hook(name = "redact_pii", kind = before_tool_call)]
//~    ^^^^
fn name() {}

#[hook(name = "Redact PII", event = "PreToolUse")]
//~    ^^^^                 ^^^^^
fn event() {}

#[hook(hook_name = "redact_pii", kind = before_tool_call)]
//~    ^^^^^^^^^
fn hook_name() {}

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

#[hook(kind = before_tool_call)]
#[allow(non_snake_case)]
fn RedactPii() {}
//~^^^^^^^^^

#[hook(kind = before_tool_call)]
fn größe() {}
//~^^^^^

#[hook(kind = before_tool_call)]
fn _hidden() {}
//~^^^^^^^

#[hook(kind = before_tool_call)]
fn fits_2() {}

fn main() {}
