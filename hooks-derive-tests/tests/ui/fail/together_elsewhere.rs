//! A hook in the notation of another system.
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;

#[hook(event = "PreToolUse", matcher = "Bash", name = "guard", order = 1, fail_closed = true, timeout = 60)]
//~    ^^^^^                                   ^^^^            ^^^^^      ^^^^^^^^^^^                   ^^
async fn guard(_event: &BeforeToolCall) -> bool {
    true
}

fn main() {}
