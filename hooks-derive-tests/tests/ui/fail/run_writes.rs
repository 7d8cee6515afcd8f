//! A detached or background hook cannot rewrite the subject.
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

fn main() {}
