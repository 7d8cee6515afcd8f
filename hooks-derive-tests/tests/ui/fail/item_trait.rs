//! Functions of traits belong to a type.
use hook_sdk::prelude::*;

trait Guard {
    #[hook(id = "declared", kind = before_tool_call)]
    fn declared(&self, input: &ToolInput) -> Permission;
//~              ^^^^

    #[hook(id = "provided", kind = before_tool_call)]
    fn provided(&self) -> Permission {
//~              ^^^^
        Permission::allow()
    }
}

struct Strict;

impl Guard for Strict {
    #[hook(id = "implemented", kind = before_tool_call)]
    fn declared(&self, _input: &ToolInput) -> Permission {
//~              ^^^^
        Permission::allow()
    }
}

fn main() {}
