//! An associated function is registered from outside its block, or as a function of its own.
use hooks_core::prelude::*;

struct Guard;

impl Guard {
    #[hook(id = "associated", kind = before_tool_call)]
    fn associated(_input: &ToolInput) {}
//~    ^^^^^^^^^^
//~    ^^^^^^^^^^
}

fn main() {}
