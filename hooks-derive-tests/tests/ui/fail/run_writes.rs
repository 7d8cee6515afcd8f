//! A detached or background hook cannot rewrite the subject.
//! A detached or background hook has no fallback, because nothing uses its answer.
//! A detached or background hook has no `on_failure`, because its failure does not affect the dispatch.
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;

#[hook(id = "lent", kind = before_tool_call, run = detached)]
fn lent(_input: &mut ToolInput) {}
//~                  ^^^^^^^^^

#[hook(id = "owned", kind = after_tool_call_success, run = detached)]
async fn owned(result: ToolResult) -> Option<ToolResult> {
//~                    ^^^^^^^^^^
    Some(result)
}

#[hook(id = "job", kind = before_create_message, run = background)]
fn job(_event: &BeforeCreateMessage, _row: &mut Message) -> Result<(), String> {
//~                                             ^^^^^^^
    Ok(())
}

#[hook(id = "detached", kind = before_tool_call, run = detached, fallback = other)]
//~                                                              ^^^^^^^^
fn detached() {}

#[hook(id = "background", kind = after_create_message, fallback = other, run = background)]
//~                                                    ^^^^^^^^
fn background() {}

fn other() {}

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
