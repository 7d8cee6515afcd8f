//! `hooks![…]` takes functions, not calls or other values.
use hook_sdk::prelude::*;

#[hook(id = "redact_pii", kind = before_tool_call)]
fn redact_pii() {}

fn main() {
    let _ = hooks![|_: &ToolInput| ()];
//~                ^^^^^^^^^^^^^^^^^^
    let _ = hooks![&redact_pii];
//~                ^^^^^^^^^^^
    let _ = hooks![redact_pii as fn()];
//~                ^^^^^^^^^^^^^^^^^^
    let _ = hooks![[redact_pii]];
//~                ^^^^^^^^^^^^
    let _ = hooks![redact_pii; 2];
//~                ^^^^^^^^^^^^^
    let _ = hooks![..];
//~                ^^
}
