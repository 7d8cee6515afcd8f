//! A hook that borrows the subject does not return it.
use hook_sdk::prelude::*;

#[hook(id = "given_back", kind = after_tool_call_success)]
fn given_back(result: &mut ToolResult) -> &mut ToolResult {
//~                                       ^^^^^^^^^^^^^^^
    result
}

#[hook(id = "copied", kind = after_tool_call_success)]
fn copied(result: &ToolResult) -> ToolResult {
//~                               ^^^^^^^^^^
    result.clone()
}

#[hook(id = "in_result", kind = after_tool_call_success)]
fn in_result(result: &mut ToolResult) -> Result<ToolResult, String> {
//~                                      ^^^^^^^^^^^^^^^^^^^^^^^^^^
    Ok(result.clone())
}

#[hook(id = "pair", kind = before_tool_call)]
fn pair(input: &ToolInput) -> (ToolInput, Permission) {
//~                           ^^^^^^^^^^^^^^^^^^^^^^^
    (input.clone(), Permission::Allow)
}

fn main() {}
