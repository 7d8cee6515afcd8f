//! Repeated options together with wrong options.
//! Mistakes in `after`, `before` and `requires` at the same time.
//! A hook cannot run both before and after another hook.
//! A hook in the notation of another system.
use hook_sdk::prelude::*;
use hook_sdk::kinds::*;

#[hook(id = "one", id = "one", kind = before_tool_cal, kind = before_tool_call, tool = "", tool = "bash", prioity = 1)]
//~                ^^                 ^^^^^^^^^^^^^^^  ^^^^                            ^^  ^^^^           ^^^^^^^
fn one() {}

#[hook(
    id = "ordered",
    kind = before_tool_call,
    after = ["Redact-Pii", "ordered"],
//~          ^^^^^^^^^^^^  ^^^^^^^^^
    before = ["a", "a"],
//~                ^^^
    requires = [count],
//~             ^^^^^
    priority = 1.0
//~            ^^^
)]
fn ordered() {}

#[hook(id = "both", kind = before_tool_call, after = ["redact_pii"], before = ["redact_pii"])]
//~                                                                            ^^^^^^^^^^^^
fn both() {}

#[hook(id = "requires_and_before", kind = before_tool_call, before = ["count", "redact_pii"], requires = ["redact_pii"])]
//~                                                                            ^^^^^^^^^^^^
fn requires_and_before() {}

#[hook(event = "PreToolUse", matcher = "Bash", name = "guard", order = 1, fail_closed = true, timeout = 60)]
//~    ^^^^^                                   ^^^^            ^^^^^      ^^^^^^^^^^^                   ^^
async fn guard(_event: &BeforeToolCall) -> bool {
    true
}

fn main() {}
