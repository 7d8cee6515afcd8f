//! A fallback has to fit every kind of its hook.
use hook_sdk::prelude::*;

#[hook(id = "returns", kind = [before_tool_call, before_compaction], fallback = says_text)]
//~                                                                             ^^^^^^^^^
//~                                                                             ^^^^^^^^^
fn returns() -> Permission {
    Permission::Allow
}

fn says_text() -> String {
    String::new()
}

#[hook(id = "waits", kind = before_tool_call, fallback = at_once, timeout = "2s")]
//~                                                      ^^^^^^^
async fn waits(_input: &mut ToolInput) {}

fn at_once(_input: &mut ToolInput) {}

#[hook(id = "reads", kind = before_tool_call, fallback = writes, on_failure = remove)]
//~                                                      ^^^^^^               ^^^^^^
//~                                                      ^^^^^^
fn reads(_input: &ToolInput) {}

fn writes(_input: &mut ToolInput) {}

fn main() {}
