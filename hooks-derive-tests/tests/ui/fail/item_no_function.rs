//! The attribute applies only to functions.
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

fn main() {}
