//! `hooks![…]` takes only paths.
use hook_sdk::prelude::*;

#[hook(id = "redact_pii", kind = before_tool_call)]
fn redact_pii() {}

fn main() {
    let _ = hooks!["redact_pii"];
//~                ^^^^^^^^^^^^
    let _ = hooks![redact_pii, "count"];
//~                            ^^^^^^^
    let _ = hooks![redact_pii()];
//~                          ^^
}
