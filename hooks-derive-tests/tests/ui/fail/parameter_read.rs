//! Types that a hook can take by shared reference.
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;

#[hook(id = "unknown", kind = before_tool_call)]
fn unknown(_name: &String) {}
//~                ^^^^^^

#[hook(id = "other_event", kind = before_tool_call)]
fn other_event(_event: &AfterToolCallSuccess) {}
//~                     ^^^^^^^^^^^^^^^^^^^^

#[hook(id = "other_subject", kind = before_tool_call)]
async fn other_subject(_cx: &HookContext, _result: &ToolResult) {}
//~                                                 ^^^^^^^^^^

#[hook(id = "unsized_", kind = before_tool_call)]
fn unsized_(_name: &[u8]) {}
//~                 ^^^^

#[hook(id = "two_of_them", kind = before_tool_call)]
fn two_of_them(_a: &String, _b: &Vec<String>) {}
//~                 ^^^^^^       ^^^^^^^^^^^

#[hook(id = "not_there", kind = before_tool_call)]
fn not_there(_a: &Missing) {}
//~               ^^^^^^^

fn main() {}
