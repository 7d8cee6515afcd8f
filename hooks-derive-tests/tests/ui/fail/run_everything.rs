//! All mistakes in one hook, reported in one build, each at its own token.
use hook_sdk::prelude::*;

#[hook(id = "one", kind = before_tool_call, run = detached, on_failure = deny, fallback = two, retries = 3)]
//~                                                                      ^^^^  ^^^^^^^^        ^^^^^^^
fn one(_input: &mut ToolInput) {}
//~                 ^^^^^^^^^

#[hook(id = "two", kind = before_tool_call, run = background, blocking, on_failure = required, idempotent = yes)]
//~                                                           ^^^^^^^^               ^^^^^^^^               ^^^
async fn two(input: ToolInput) -> ToolInput {
//~                 ^^^^^^^^^
    input
}

#[hook(id = "three", kind = before_tool_call, run = queue, retries = 0, blocking = true, timeout = 3)]
//~                                                 ^^^^^  ^^^^^^^   ^  ^^^^^^^^   ^^^^            ^
async fn three() {}

fn main() {}
