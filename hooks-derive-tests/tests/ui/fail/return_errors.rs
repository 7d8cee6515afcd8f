//! The error type of a `Result` has to be an error.
use hook_sdk::prelude::*;

#[hook(id = "unit", kind = before_tool_call)]
fn unit() -> Result<(), ()> {
//~          ^^^^^^^^^^^^^^
    Ok(())
}

#[hook(id = "number", kind = before_tool_call)]
async fn number(_input: &mut ToolInput) -> Result<(), i32> {
//~                                        ^^^^^^^^^^^^^^^
    Ok(())
}

#[hook(id = "permission", kind = before_tool_call)]
fn permission() -> Result<(), Permission> {
//~                ^^^^^^^^^^^^^^^^^^^^^^
    Ok(())
}

#[hook(id = "subject", kind = before_tool_call)]
fn subject(input: ToolInput) -> Result<ToolInput, ToolInput> {
//~                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    Ok(input)
}

fn main() {}
