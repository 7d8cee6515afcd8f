//! An associated function has to be registered as a value, or called from a free function.
use hook_sdk::prelude::*;

struct Guard;

impl Guard {
    #[hook(id = "associated", kind = before_tool_call)]
    fn associated(_input: &ToolInput) {}
//~    ^^^^^^^^^^
//~    ^^^^^^^^^^
}

fn main() {}
