//! The return types of a hook that takes the subject by value.
use hook_sdk::prelude::*;

struct NotAnError;

#[hook(id = "text", kind = after_tool_call_success)]
fn text(_result: ToolResult) -> String {
//~                             ^^^^^^
    String::new()
}

#[hook(id = "forgotten", kind = after_tool_call_success)]
pub fn forgotten(_result: ToolResult) {}
//~                       ^^^^^^^^^^

#[hook(id = "forgotten_async", kind = after_tool_call_success)]
async fn forgotten_async(_result: ToolResult) {}
//~                               ^^^^^^^^^^

#[hook(id = "not_removable", kind = before_tool_call)]
fn not_removable(input: ToolInput) -> Option<ToolInput> {
//~                                   ^^^^^^^^^^^^^^^^^
    Some(input)
}

#[hook(id = "swapped", kind = before_tool_call)]
fn swapped(input: ToolInput) -> (Permission, ToolInput) {
//~                             ^^^^^^^^^^^^^^^^^^^^^^^
    (Permission::Allow, input)
}

#[hook(id = "verdict_only", kind = before_tool_call)]
fn verdict_only(_input: ToolInput) -> std::result::Result<Permission, std::fmt::Error> {
//~                                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    Ok(Permission::Allow)
}

#[hook(id = "no_error", kind = before_tool_call)]
async fn no_error(input: ToolInput) -> Result<ToolInput, NotAnError> {
//~                                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    Ok(input)
}

#[hook(id = "no_verdict", kind = before_tool_call)]
fn no_verdict(input: ToolInput) -> (ToolInput, bool) {
//~                                ^^^^^^^^^^^^^^^^^
    (input, true)
}

fn main() {}
