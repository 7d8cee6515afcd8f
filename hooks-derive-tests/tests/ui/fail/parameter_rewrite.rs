//! Types that a hook can take to rewrite them.
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;

#[hook(id = "other_mut", kind = before_tool_call)]
fn other_mut(_result: &mut ToolResult) {}
//~                        ^^^^^^^^^^

#[hook(id = "other_mut_async", kind = before_tool_call)]
async fn other_mut_async(_result: &mut ToolResult) {}
//~                                    ^^^^^^^^^^

#[hook(id = "other_value", kind = before_tool_call)]
fn other_value(_result: ToolResult) -> ToolInput {
//~                     ^^^^^^^^^^
    ToolInput::default()
}

#[hook(id = "event_mut", kind = before_tool_call)]
fn event_mut(_event: &mut BeforeToolCall) {}
//~                       ^^^^^^^^^^^^^^

#[hook(id = "context_by_value", kind = before_tool_call)]
fn context_by_value(_cx: HookContext) {}
//~                      ^^^^^^^^^^^

#[hook(id = "nothing_to_rewrite", kind = after_create_message)]
fn nothing_to_rewrite(_row: &mut Message) {}
//~                              ^^^^^^^

fn main() {}
