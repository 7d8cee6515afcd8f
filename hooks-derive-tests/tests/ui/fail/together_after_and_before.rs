//! A hook cannot run both before and after another hook.
use hook_sdk::prelude::*;

#[hook(id = "both", kind = before_tool_call, after = ["redact_pii"], before = ["redact_pii"])]
//~                                                                            ^^^^^^^^^^^^
fn both() {}

#[hook(id = "requires_and_before", kind = before_tool_call, before = ["count", "redact_pii"], requires = ["redact_pii"])]
//~                                                                            ^^^^^^^^^^^^
fn requires_and_before() {}

fn main() {}
