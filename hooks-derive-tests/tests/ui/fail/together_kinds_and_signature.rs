//! The signature has to fit every kind in the list. Otherwise, write two hooks.
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;

#[hook(id = "event", kind = [after_tool_call_success, after_tool_call_failure])]
fn event(_event: &AfterToolCallSuccess, _result: &mut ToolResult) {}
//~               ^^^^^^^^^^^^^^^^^^^^

#[hook(id = "verdict", kind = [before_tool_call, turn_end])]
fn verdict() -> Permission {
//~             ^^^^^^^^^^
    Permission::Allow
}

#[hook(id = "removal", kind = [after_tool_call_success, after_create_message])]
async fn removal(result: ToolResult) -> Option<ToolResult> {
//~                      ^^^^^^^^^^     ^^^^^^^^^^^^^^^^^^
    Some(result)
}

fn main() {}
