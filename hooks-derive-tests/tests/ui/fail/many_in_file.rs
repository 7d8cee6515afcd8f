//! Mistakes in several hooks, reported together although different compiler stages find them.
use hook_sdk::prelude::*;

#[hook(id = "filters", kind = filter_messages, tool = "x", on_failure = deny)]
//~                                            ^^^^                     ^^^^
fn filters(_messages: &mut Messages) {}

#[hook(id = "takes", kind = before_tool_call)]
fn takes(_result: &ToolResult) {}
//~                ^^^^^^^^^^

#[hook(id = "gives", kind = before_tool_call)]
fn gives() -> bool {
//~           ^^^^
    true
}

#[hook(id = "rewrites", kind = after_tool_call_success, tol = "x")]
//~                                                     ^^^
fn rewrites(_input: ToolInput) -> ToolResult {
//~                 ^^^^^^^^^
    unimplemented!()
}

fn main() {}
