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
//~                                                                  ^^^^^^^^^^
fn another_parameter(_input: &ToolInput) {}

fn reads_text(_text: &String) {}

#[hook(id = "another_order", kind = before_tool_call, fallback = asks_first)]
//~                                                              ^^^^^^^^^^
fn another_order(_input: &ToolInput, _cx: &HookContext) {}

fn asks_first(_cx: &HookContext, _input: &ToolInput) {}

#[hook(id = "more_from_a_list", kind = before_tool_call, fallback = by_list)]
//~                                                                 ^^^^^^^
async fn more_from_a_list(_input: &ToolInput) -> Permission {
    Permission::Allow
}

async fn by_list(_limit: &With<u64>) -> Permission {
    Permission::Allow
}

#[hook(id = "more_of_the_app", kind = before_tool_call, fallback = by_state)]
//~                                                                ^^^^^^^^
fn more_of_the_app(_limit: &State<u32>, _input: &mut ToolInput) {}

fn by_state(_limit: &State<u64>, _input: &mut ToolInput) {}

#[hook(id = "not_async", kind = before_tool_call, fallback = nothing)]
//~                                                          ^^^^^^^
async fn not_async() {}

fn main() {}
