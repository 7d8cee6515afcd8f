//! Plain texts are not parameters: a hook reads the event and the subject.
use hook_sdk::prelude::*;

#[hook(id = "text", kind = before_create_message)]
fn text(_text: &str, _row: &mut Message) {}
//~             ^^^

#[hook(id = "owned", kind = before_create_message)]
fn owned(text: String) -> String {
//~            ^^^^^^     ^^^^^^
    text
}

#[hook(id = "changed", kind = before_create_message)]
fn changed(_text: &mut String) {}
//~                    ^^^^^^

#[hook(id = "named", kind = before_tool_call, tool = "bash")]
fn named(_tool: &str) -> Permission {
//~              ^^^
    Permission::Allow
}

#[hook(id = "json", kind = before_tool_call, tool = "bash")]
fn json(_input: &serde_json::Value) -> Permission {
//~              ^^^^^^^^^^^^^^^^^
    Permission::Allow
}

#[hook(kind = stream_delta)]
fn window(_shown: &str) {}
//~                ^^^

#[hook(kind = before_tool_call)]
fn sometimes(#[cfg(test)] _tool: &str, #[cfg(not(test))] _input: &ToolInput) {}
//~          ^^^^^^^^^^^^         ^^^  ^^^^^^^^^^^^^^^^^

fn main() {}
