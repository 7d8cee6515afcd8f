//! `hooks![…]` refers to functions, so a misspelt or private one does not compile.
use hook_sdk::prelude::*;

mod guards {
    use hook_sdk::prelude::*;

    #[hook(id = "redact_pii", kind = before_tool_call)]
    pub fn redact_pii() {}

    #[hook(id = "hidden", kind = before_tool_call)]
    fn hidden() {}
}

fn main() {
    let _ = hooks![guards::redact_pi];
//~                        ^^^^^^^^^
    let _ = hooks![guards::hidden];
//~                        ^^^^^^
    let _ = hooks![guards::redact_pii, redact];
//~                                    ^^^^^^
}
