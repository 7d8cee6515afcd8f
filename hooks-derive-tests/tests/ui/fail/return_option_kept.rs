//! `None` removes the subject, so it is allowed only at kinds with removal.
use hook_sdk::prelude::*;

#[hook(id = "gate", kind = before_tool_call)]
fn gate(input: ToolInput) -> Option<ToolInput> {
//~                          ^^^^^^^^^^^^^^^^^
    Some(input)
}

#[hook(id = "history", kind = filter_messages)]
async fn history(messages: Messages) -> Option<Messages> {
//~                                     ^^^^^^^^^^^^^^^^
    Some(messages)
}

#[hook(id = "in_result", kind = before_create_message)]
fn in_result(row: Message) -> Result<Option<Message>, String> {
//~                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    Ok(Some(row))
}

#[hook(id = "lent", kind = after_tool_call_success)]
fn lent(_result: &mut ToolResult) -> Option<()> {
//~                                  ^^^^^^^^^^
    None
}

fn main() {}
