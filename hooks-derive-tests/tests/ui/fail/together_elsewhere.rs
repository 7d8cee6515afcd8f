//! A hook in the notation of another system.
use hooks_core::kinds::*;
use hooks_core::prelude::*;

#[hook(event = "PreToolUse", matcher = "Bash", name = "guard", order = 1, fail_closed = true, timeout = 60)]
//~    ^^^^^                                   ^^^^            ^^^^^      ^^^^^^^^^^^                   ^^
async fn guard(_event: &BeforeToolCall) -> bool {
    true
}

fn main() {}
