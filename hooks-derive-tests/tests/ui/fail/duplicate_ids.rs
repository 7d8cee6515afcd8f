//! With `setup!()` in the crate root, two hooks with the same id are a build error, even in different modules.
use hook_sdk::prelude::*;

hook_sdk::setup!();

#[hook(id = "redact_pii", kind = before_tool_call)]
//~         ^^^^^^^^^^^^
fn redact_pii() {}

mod elsewhere {
    use hook_sdk::prelude::*;

    #[hook(id = "redact_pii", kind = before_tool_call)]
    fn redact_pii() {}

    #[hook(id = "type", kind = before_tool_call)]
//~             ^^^^^^
    fn typed() {}
}

#[hook(id = "type", kind = before_tool_call)]
fn other() {}

fn main() {}
