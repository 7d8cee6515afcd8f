//! If the attribute is wrong, the function still exists, so its callers cause no further errors.
use hook_sdk::prelude::*;

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
