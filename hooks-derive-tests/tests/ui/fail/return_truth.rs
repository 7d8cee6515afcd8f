//! A gate returns a `Permission` with a reason, not a `bool`.
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;

#[hook(id = "truth", kind = before_tool_call)]
fn truth(_event: &BeforeToolCall) -> bool {
//~                                  ^^^^
    true
}

#[hook(id = "optional", kind = before_tool_call)]
async fn optional() -> Option<bool> {
//~                    ^^^^^^^^^^^^
    None
}

#[hook(id = "text", kind = before_tool_call)]
fn text() -> &'static str {
//~                   ^^^
    "deny"
}

#[hook(id = "number", kind = before_tool_call)]
fn number() -> i32 {
//~            ^^^
    0
}

fn main() {}
