//! A hook is a free function, not a method.
//! A function of an `impl` block has to be called from a free function.
//! Functions of traits belong to a type.
use hook_sdk::prelude::*;
use hook_sdk::kinds::*;

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

#[derive(Clone)]
struct GuardType {
    limit: u64,
}

impl GuardType {
    #[hook(id = "check", kind = before_tool_call)]
    async fn check(&mut self, _event: &BeforeToolCall) -> Permission {
//~                     ^^^^
        if self.limit > 0 { Permission::Allow } else { Permission::deny("spent") }
    }

    #[hook(id = "shared", kind = before_tool_call)]
    fn shared(self: &std::sync::Arc<Self>, _input: &mut ToolInput) {}
//~           ^^^^
}

trait GuardTrait {
    #[hook(id = "declared", kind = before_tool_call)]
    fn declared(&self, input: &ToolInput) -> Permission;
//~              ^^^^

    #[hook(id = "provided", kind = before_tool_call)]
    fn provided(&self) -> Permission {
//~              ^^^^
        Permission::Allow
    }
}

struct Strict;

impl GuardTrait for Strict {
    #[hook(id = "implemented", kind = before_tool_call)]
    fn declared(&self, _input: &ToolInput) -> Permission {
//~              ^^^^
        Permission::Allow
    }
}

fn main() {}
