//! A list of hooks is `hooks![…]` or ids; a `Vec` of functions is neither.
use hooks_core::prelude::*;

#[hook(id = "redact_pii", kind = before_tool_call)]
fn redact_pii() {}

fn main() {
    let _ = AgentDef::new("support").hooks(vec![redact_pii]);
    let _ = AppDef::new("desk").hooks([7]);
}
