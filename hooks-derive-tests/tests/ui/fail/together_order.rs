//! Mistakes in `after`, `before` and `requires` at the same time.
use hook_sdk::prelude::*;

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

fn main() {}
