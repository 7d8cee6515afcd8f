//! Ids with characters that other systems allow.
use hook_sdk::prelude::*;

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

fn main() {}
