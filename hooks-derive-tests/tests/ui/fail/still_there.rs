//! A function whose attribute is wrong stays a function: its callers do not add errors of their own.
use hooks_core::prelude::*;

#[hook(id = "redact_pii", kind = before_tol_call)]
//~                              ^^^^^^^^^^^^^^^
fn redact_pii(input: &mut ToolInput) {
    *input = ToolInput::default();
}

#[hook(id = "takes", kind = before_tool_call)]
fn takes(_name: &String) -> u8 {
//~              ^^^^^^     ^^
    7
}

fn main() {
    redact_pii(&mut ToolInput::default());
    let _: u8 = takes(&String::new());
    let _ = hooks![redact_pii, takes];
}
