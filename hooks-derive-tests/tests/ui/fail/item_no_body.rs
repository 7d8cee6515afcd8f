//! A hook needs a function body.
use hook_sdk::prelude::*;

mod hooks {
    use super::*;

    #[hook(id = "no_body", kind = before_tool_call)]
    fn no_body(_input: &ToolInput);
//~ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
}

fn main() {}
