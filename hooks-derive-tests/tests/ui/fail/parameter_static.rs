//! A hook borrows its parameters only for its run.
use hook_sdk::prelude::*;

#[hook(id = "subject", kind = before_tool_call)]
fn subject(_input: &'static ToolInput) {}
//~                 ^^^^^^^

#[hook(id = "context", kind = before_tool_call)]
async fn context(_cx: &'static HookContext) {}
//~                    ^^^^^^^

fn main() {}
