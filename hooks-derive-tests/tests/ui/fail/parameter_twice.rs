//! Each parameter type appears once.
//! A hook borrows its parameters only for its run.
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;

#[hook(id = "two_subjects", kind = before_tool_call)]
fn two_subjects(_a: &mut ToolInput, _b: ToolResult) {}
//~                                     ^^^^^^^^^^

#[hook(id = "lent_and_owned", kind = before_tool_call)]
fn lent_and_owned(_a: &mut ToolInput, _b: ToolInput) -> ToolInput {
//~                                       ^^^^^^^^^
    unimplemented!()
}

#[hook(id = "two_events", kind = before_tool_call)]
fn two_events(_a: &BeforeToolCall, _b: &BeforeToolCall) {}
//~                                    ^^^^^^^^^^^^^^^

#[hook(id = "read_and_lent", kind = before_tool_call)]
fn read_and_lent(_a: &ToolInput, _b: &mut ToolInput) {}
//~                                  ^^^^^^^^^^^^^^

#[hook(id = "subject", kind = before_tool_call)]
fn subject(_input: &'static ToolInput) {}
//~                 ^^^^^^^

#[hook(id = "context", kind = before_tool_call)]
async fn context(_cx: &'static HookContext) {}
//~                    ^^^^^^^

fn main() {}
