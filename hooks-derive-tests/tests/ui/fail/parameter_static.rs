//! A hook borrows its parameters only for its run.
use hooks_core::prelude::*;

#[hook(id = "subject", kind = before_tool_call)]
fn subject(_input: &'static ToolInput) {}
//~                 ^^^^^^^

#[hook(id = "context", kind = before_tool_call)]
async fn context(_cx: &'static HookContext) {}
//~                    ^^^^^^^

fn main() {}
