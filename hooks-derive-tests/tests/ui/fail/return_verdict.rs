//! The return types of a hook that does not take the subject by value.
use hook_sdk::prelude::*;

struct NotAnError;

#[hook(id = "truth", kind = before_tool_call)]
fn truth() -> bool {
//~           ^^^^
    true
}

#[hook(id = "subject", kind = before_tool_call)]
fn subject(input: &mut ToolInput) -> ToolInput {
//~                                  ^^^^^^^^^
    input.clone()
}

#[hook(id = "permission_of_no_gate", kind = after_create_message)]
async fn permission_of_no_gate() -> Permission {
//~                                 ^^^^^^^^^^
    Permission::Allow
}

#[hook(id = "text", kind = filter_messages)]
fn text() -> String {
//~          ^^^^^^
    String::new()
}

#[hook(id = "no_error", kind = before_tool_call)]
fn no_error() -> Result<Permission, NotAnError> {
//~              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    Ok(Permission::Allow)
}

#[hook(id = "no_verdict_in_result", kind = before_tool_call)]
fn no_verdict_in_result() -> Result<bool, std::fmt::Error> {
//~                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    Ok(true)
}

#[hook(id = "option", kind = before_tool_call)]
fn option() -> Option<Permission> {
//~            ^^^^^^^^^^^^^^^^^^
    None
}

#[hook(id = "lifetime", kind = before_tool_call)]
fn lifetime() -> &'static str {
//~                       ^^^
    "allow"
}

fn main() {}
