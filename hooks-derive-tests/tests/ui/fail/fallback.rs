//! A fallback whose signature does not fit its hook.
use hook_sdk::prelude::*;

#[hook(id = "itself", kind = before_tool_call, fallback = itself)]
//~                                                       ^^^^^^
fn itself() {}

#[hook(id = "a_string", kind = before_tool_call, fallback = "other")]
//~                                                         ^^^^^^^
fn a_string() {}

#[hook(id = "fewer", kind = before_tool_call, fallback = nothing)]
//~                                                      ^^^^^^^
fn fewer(_input: &ToolInput) {}

fn nothing() {}

#[hook(id = "another_return", kind = before_tool_call, fallback = says_text)]
//~                                                               ^^^^^^^^^
fn another_return(_input: &ToolInput) -> Permission {
    Permission::Allow
}

fn says_text(_input: &ToolInput) -> String {
    String::new()
}

#[hook(id = "another_parameter", kind = before_tool_call, fallback = reads_text)]
//~                                                                  ^^^^^^^^^^
fn another_parameter(_input: &ToolInput) {}

fn reads_text(_text: &String) {}

#[hook(id = "not_async", kind = before_tool_call, fallback = nothing)]
//~                                                          ^^^^^^^
async fn not_async() {}

fn main() {}
