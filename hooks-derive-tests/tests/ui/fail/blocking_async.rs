//! `blocking` is for plain functions. An `async fn` already yields its thread while it waits.
use hook_sdk::prelude::*;

#[hook(id = "reads", kind = before_tool_call, blocking)]
//~                                           ^^^^^^^^
async fn reads() {}

#[hook(id = "writes", kind = before_tool_call, blocking, timeout = "2s")]
//~                                            ^^^^^^^^
async fn writes(input: ToolInput) -> ToolInput {
    input
}

#[hook(id = "detached", kind = after_create_message, run = detached, blocking)]
//~                                                                  ^^^^^^^^
async fn detached() {}

fn main() {}
