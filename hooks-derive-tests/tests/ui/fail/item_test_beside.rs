//! A test function or `main` cannot also be a hook.
use hook_sdk::prelude::*;

mod hooks {
    use super::*;

    #[hook(id = "tested", kind = before_tool_call)]
    #[test]
//~   ^^^^
    fn tested(_input: &ToolInput) {}

    #[hook(id = "tested_async", kind = before_tool_call)]
    #[tokio::test]
//~   ^^^^^^^^^^^
    async fn tested_async() {}

    #[hook(id = "runs", kind = before_tool_call)]
    #[tokio::main(flavor = "current_thread")]
//~   ^^^^^^^^^^^
    async fn runs() {}
}

#[tokio::main(flavor = "current_thread")]
#[hook(id = "started", kind = before_tool_call)]
async fn main() {}
//~      ^^^^
