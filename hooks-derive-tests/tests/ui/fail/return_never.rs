//! A hook has to return.
use hook_sdk::prelude::*;

#[hook(id = "never", kind = before_tool_call)]
fn never() -> ! {
//~           ^
    panic!()
}

fn main() {}
