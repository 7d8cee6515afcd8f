//! A hook is a free function, not a method.
use hook_sdk::prelude::*;

struct Guard;

impl Guard {
    #[hook(id = "method", kind = before_tool_call)]
    fn method(&self, _input: &ToolInput) {}
//~            ^^^^

    #[hook(id = "by_value", kind = before_tool_call)]
    fn by_value(self, _input: &ToolInput) {}
//~             ^^^^

    #[hook(id = "typed_self", kind = before_tool_call)]
    fn typed_self(self: Box<Self>) {}
//~               ^^^^
}

fn main() {}
