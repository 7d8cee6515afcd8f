//! A hook borrows for the time of its run, no longer.
use hooks_core::prelude::*;

#[hook(id = "subject", kind = before_tool_call)]
fn subject(_input: &'static ToolInput) {}
//~                 ^^^^^^^

#[hook(id = "context", kind = before_tool_call)]
async fn context(_cx: &'static HookContext) {}
//~                    ^^^^^^^

fn main() {}
