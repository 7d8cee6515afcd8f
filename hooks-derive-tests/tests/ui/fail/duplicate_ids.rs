//! With `setup!()` in the root, two hooks with one id are a build error, whatever module they are in.
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
