//! A detached or background hook has no `on_failure`, because its failure does not affect the dispatch.
use hook_sdk::prelude::*;

#[hook(id = "deny", kind = before_tool_call, run = detached, on_failure = deny)]
//~                                                                       ^^^^
fn deny() {}

#[hook(id = "remove", kind = after_tool_call_success, on_failure = remove, run = detached)]
//~                                                                ^^^^^^
async fn remove() {}

#[hook(id = "required", kind = after_create_message, run = background, on_failure = required)]
//~                                                                                 ^^^^^^^^
fn required() {}

fn main() {}
