//! Event and subject have to belong to the kind of the attribute.
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;

#[hook(id = "event_of_another", kind = after_tool_call_success)]
fn event_of_another(_event: &BeforeToolCall, _result: &mut ToolResult) {}
//~                          ^^^^^^^^^^^^^^

#[hook(id = "subject_of_another", kind = before_create_message)]
fn subject_of_another(_event: &BeforeCreateMessage, _messages: &mut Messages) {}
//~                                                                 ^^^^^^^^

#[hook(id = "subject_of_another_read", kind = after_tool_call_success)]
async fn subject_of_another_read(_event: &AfterToolCallSuccess, _input: &ToolInput) {}
//~                                                                      ^^^^^^^^^

#[hook(id = "all_of_another", kind = filter_messages)]
fn all_of_another(_event: &BeforeToolCall, _input: &mut ToolInput) -> Permission {
//~                        ^^^^^^^^^^^^^^               ^^^^^^^^^     ^^^^^^^^^^
    Permission::Allow
}

fn main() {}
