//! The event is taken by shared reference.
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;

#[hook(id = "lent", kind = before_tool_call)]
fn lent(_event: &mut BeforeToolCall) {}
//~                  ^^^^^^^^^^^^^^

#[hook(id = "owned", kind = before_tool_call)]
fn owned(_event: BeforeToolCall) -> Permission {
//~              ^^^^^^^^^^^^^^     ^^^^^^^^^^
    Permission::Allow
}

#[hook(id = "owned_async", kind = after_create_message)]
async fn owned_async(_event: AfterCreateMessage) {}
//~                          ^^^^^^^^^^^^^^^^^^

#[hook(id = "lent_beside", kind = before_tool_call)]
fn lent_beside(_event: &mut BeforeToolCall, _input: &mut ToolInput) {}
//~                                                 ^^^^^^^^^^^^^^

#[hook(id = "given_back", kind = before_tool_call)]
fn given_back(event: BeforeToolCall) -> BeforeToolCall {
//~                  ^^^^^^^^^^^^^^     ^^^^^^^^^^^^^^
    event
}

fn main() {}
