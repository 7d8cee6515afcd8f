//! With `setup!()` in the crate root, two hooks with the same id are a build error, even in different modules.
use hooks_core::prelude::*;

hooks_core::setup!();

#[hook(id = "redact_pii", kind = before_tool_call)]
//~         ^^^^^^^^^^^^
fn redact_pii() {}

mod elsewhere {
    use hooks_core::prelude::*;

    #[hook(id = "redact_pii", kind = before_tool_call)]
    fn redact_pii() {}

    #[hook(id = "type", kind = before_tool_call)]
//~             ^^^^^^
    fn typed() {}
}

#[hook(id = "type", kind = before_tool_call)]
fn other() {}

fn main() {}
