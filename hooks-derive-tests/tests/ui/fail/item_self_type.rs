//! A function of an `impl` block has to be called from a free function.
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;

#[derive(Clone)]
struct Guard {
    limit: u64,
}

impl Guard {
    #[hook(id = "check", kind = before_tool_call)]
    async fn check(&mut self, _event: &BeforeToolCall) -> Permission {
//~                     ^^^^
        if self.limit > 0 { Permission::allow() } else { Permission::deny("spent") }
    }

    #[hook(id = "shared", kind = before_tool_call)]
    fn shared(self: &std::sync::Arc<Self>, _input: &mut ToolInput) {}
//~           ^^^^
}

fn main() {}
