//! A detached or background hook cannot return a verdict.
use hook_sdk::prelude::*;

#[hook(id = "verdict", kind = before_tool_call, run = detached)]
fn verdict() -> Permission {
//~             ^^^^^^^^^^
    Permission::Allow
}

#[hook(id = "verdict_in_result", kind = before_tool_call, run = detached)]
async fn verdict_in_result() -> Result<Permission, String> {
//~                             ^^^^^^^^^^^^^^^^^^^^^^^^^^
    Ok(Permission::Allow)
}

#[hook(id = "halt", kind = user_prompt_submit, run = detached)]
fn halt() -> Halt {
//~          ^^^^
    Halt::new("enough")
}

#[hook(id = "a_number", kind = after_create_message, run = background)]
fn a_number() -> u32 {
//~              ^^^
    3
}

#[hook(id = "no_error", kind = after_create_message, run = detached)]
fn no_error() -> Result<(), u32> {
//~              ^^^^^^^^^^^^^^^
    Ok(())
}

fn main() {}
