//! A hook has to return.
use hooks_core::prelude::*;

#[hook(id = "never", kind = before_tool_call)]
fn never() -> ! {
//~           ^
    panic!()
}

fn main() {}
