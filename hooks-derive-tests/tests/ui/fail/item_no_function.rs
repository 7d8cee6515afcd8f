//! The attribute applies only to functions.
//! A closure has to be registered as a value.
//! A foreign function has to be called from a hook.
//! A hook needs a function body.
use hook_sdk::prelude::*;

mod hooks {
    use super::*;

    #[hook(id = "of_struct", kind = before_tool_call)]
    pub struct Hook;
//~     ^^^^^^

    #[hook(id = "of_enum", kind = before_tool_call)]
    enum Choice {}
//~ ^^^^

    #[hook(id = "of_module", kind = before_tool_call)]
    mod module {}
//~ ^^^

    #[hook(id = "of_impl", kind = before_tool_call)]
    impl Hook {}
//~ ^^^^

    #[hook(id = "of_trait", kind = before_tool_call)]
    trait Guard {}
//~ ^^^^^

    #[hook(id = "of_constant", kind = before_tool_call)]
    const LIMIT: u8 = 3;
//~ ^^^^^

    #[hook(id = "of_static", kind = before_tool_call)]
    static TABLE: u8 = 3;
//~ ^^^^^^

    #[hook(id = "of_type", kind = before_tool_call)]
    type Input = u8;
//~ ^^^^

}

mod hooks_closure {
    use super::*;

    #[hook(id = "static_closure", kind = before_tool_call)]
    static GUARD: fn(&ToolInput) -> Permission = |_| Permission::Allow;
//~ ^^^^^^

    #[hook(id = "constant_closure", kind = before_tool_call)]
    const ALLOW: fn() -> Permission = || Permission::Allow;
//~ ^^^^^
}

mod hooks_foreign {
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

mod hooks_body {
    use super::*;

    #[hook(id = "no_body", kind = before_tool_call)]
    fn no_body(_input: &ToolInput);
//~ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
}

fn main() {}
