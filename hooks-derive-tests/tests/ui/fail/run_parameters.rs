//! An invalid parameter of a detached hook is reported once.
use hook_sdk::prelude::*;

#[hook(id = "text", kind = after_create_message, run = detached)]
fn text(_text: &String) {}
//~             ^^^^^^

#[hook(id = "two", kind = before_tool_call, run = background)]
async fn two(_result: &ToolResult, _number: &u32) {}
//~                    ^^^^^^^^^^            ^^^

fn main() {}
