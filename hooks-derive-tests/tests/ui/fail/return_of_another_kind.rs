//! The verdict has to belong to the kind of the attribute.
use hook_sdk::prelude::*;

#[hook(id = "permission", kind = user_prompt_submit)]
fn permission() -> Permission {
//~                ^^^^^^^^^^
    Permission::Allow
}

#[hook(id = "prompt", kind = before_tool_call)]
fn prompt() -> PromptVerdict {
//~            ^^^^^^^^^^^^^
    PromptVerdict::default()
}

#[hook(id = "contributions", kind = turn_end)]
fn contributions() -> Contributions {
//~                   ^^^^^^^^^^^^^
    Contributions::default()
}

#[hook(id = "of_transform", kind = after_tool_call_success)]
fn of_transform(result: ToolResult) -> (ToolResult, Permission) {
//~                                    ^^^^^^^^^^^^^^^^^^^^^^^^
    (result, Permission::Allow)
}

fn main() {}
