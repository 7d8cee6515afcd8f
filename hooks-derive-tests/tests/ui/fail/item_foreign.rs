//! A foreign function has to be called from a hook.
use hook_sdk::prelude::*;

mod hooks {
    use super::*;

    #[hook(id = "block", kind = before_tool_call)]
    unsafe extern "C" {
//~        ^^^^^^
        fn block();
    }

    #[hook(id = "system", kind = before_tool_call)]
    pub extern "system" fn system(_input: &ToolInput) {}
//~     ^^^^^^^^^^^^^^^

    #[hook(id = "exported", kind = before_tool_call)]
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn exported(_input: &mut ToolInput) {}
//~     ^^^^^^ ^^^^^^^^^^
}

fn main() {}
