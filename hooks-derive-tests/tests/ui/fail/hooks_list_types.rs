//! `hooks![…]` takes functions, not types or modules.
use hook_sdk::prelude::*;

mod guards {}

struct Guard;

fn main() {
    let _ = hooks![guards];
//~                ^^^^^^
    let _ = hooks![before_tool_call];
//~                ^^^^^^^^^^^^^^^^
    let _ = hooks![Guard::missing];
//~                       ^^^^^^^
}
