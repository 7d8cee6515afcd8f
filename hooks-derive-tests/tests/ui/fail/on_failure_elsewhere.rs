//! Names that other systems use for the failure policies.
use hook_sdk::prelude::*;

#[hook(id = "closed", kind = before_tool_call, on_failure = fail_closed)]
//~                                                         ^^^^^^^^^^^
fn closed() {}

#[hook(id = "open", kind = before_tool_call, on_failure = "open")]
//~                                                       ^^^^^^
fn open() {}

#[hook(id = "ignore", kind = before_tool_call, on_failure = ignore)]
//~                                                         ^^^^^^
fn ignore() {}

#[hook(id = "error", kind = before_tool_call, on_failure = abort)]
//~                                                        ^^^^^
fn error() {}

#[hook(id = "retry", kind = before_tool_call, on_failure = retry(3))]
//~                                                        ^^^^^
fn retry() {}

#[hook(id = "variant", kind = before_tool_call, on_failure = OnFailure::Deny)]
//~                                                          ^^^^^^^^^
fn variant() {}

fn main() {}
