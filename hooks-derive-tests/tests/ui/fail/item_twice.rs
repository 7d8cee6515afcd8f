//! A function has one `#[hook]` attribute. For several kinds, use a list.
use hook_sdk::prelude::*;

mod hooks {
    use super::*;

    #[hook(id = "first", kind = before_tool_call)]
    #[hook(id = "second", kind = after_tool_call_success)]
//~   ^^^^
    fn twice() {}

    #[hook(id = "by_path", kind = before_tool_call)]
    #[hook_sdk::hook(id = "by_path", kind = stop)]
//~   ^^^^^^^^^^^^^^
    fn by_path() {}
}

fn main() {}
