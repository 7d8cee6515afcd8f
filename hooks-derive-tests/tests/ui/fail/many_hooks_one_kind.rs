//! Eight hooks at one kind, with eight mistakes.
use hook_sdk::prelude::*;

#[hook(id = "one", kind = after_tool_call_success)]
fn one(_result: &u16) {}
//~              ^^^

#[hook(id = "two", kind = after_tool_call_success)]
fn two(_result: &mut str) {}
//~                  ^^^

#[hook(id = "three", kind = after_tool_call_success)]
fn three(_result: &mut ToolInput) {}
//~                    ^^^^^^^^^

#[hook(id = "four", kind = after_tool_call_success)]
fn four(result: ToolResult) -> Permission {
//~                            ^^^^^^^^^^
    let _ = result;
    Permission::Allow
}

#[hook(id = "five", kind = after_tool_call_success)]
fn five() -> Permission {
//~          ^^^^^^^^^^
    Permission::Allow
}

#[hook(id = "six", kind = after_tool_call_success)]
async fn six(result: ToolResult) -> Result<ToolResult, u8> {
//~                                 ^^^^^^^^^^^^^^^^^^^^^^
    Ok(result)
}

#[hook(id = "seven", kind = after_tool_call_success, on_failure = deny)]
//~                                                               ^^^^
fn seven() {}

#[hook(id = "eight", kind = after_tool_call_success, tools = "x")]
//~                                                  ^^^^^
fn eight() {}

fn main() {}
