//! All mistakes in one attribute and its function, reported in one build.
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;

#[hook(
    id = "Guard-Cancel",
//~      ^^^^^^^^^^^^^^
    kind = PreToolUse,
//~        ^^^^^^^^^^
    prio = -10,
//~ ^^^^
    timeout = "2 seconds",
//~ ^^^^^^^   ^^^^^^^^^^^
    after = ["Redact"],
//~          ^^^^^^^^
    on_failure = denied,
//~              ^^^^^^
    tool = "",
//~        ^^
)]
fn guard_cancel<T>(_event: &BeforeToolCall, _again: &BeforeToolCall) -> ! {
//~             ^                                   ^^^^^^^^^^^^^^^     ^
    panic!()
}

fn main() {}
