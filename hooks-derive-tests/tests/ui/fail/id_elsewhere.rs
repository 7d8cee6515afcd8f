//! Names that other systems use for the id.
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

fn main() {}
