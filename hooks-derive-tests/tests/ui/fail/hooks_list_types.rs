//! `hooks![…]` takes functions, not types or modules.
use hooks_core::prelude::*;

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
