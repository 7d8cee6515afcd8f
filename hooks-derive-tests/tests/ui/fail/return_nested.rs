//! A return type has at most one `Result`, one pair and one `Option`.
use hook_sdk::prelude::*;

#[hook(id = "two_results", kind = before_tool_call)]
fn two_results() -> Result<Result<(), String>, String> {
//~                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    Ok(Ok(()))
}

#[hook(id = "pair_of_option", kind = after_tool_call_success)]
fn pair_of_option(result: ToolResult) -> (Option<ToolResult>, ()) {
//~                                      ^^^^^^^^^^^^^^^^^^^^^^^^
    (Some(result), ())
}

#[hook(id = "triple", kind = before_tool_call)]
fn triple(input: ToolInput) -> (ToolInput, Permission, String) {
//~                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    (input, Permission::Allow, String::new())
}

fn main() {}
