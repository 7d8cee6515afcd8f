//! Parameters from a list, taken in an invalid way.
use hook_sdk::prelude::*;

struct Limits {
    _words: usize,
}

#[hook(id = "not_deserialize", kind = before_tool_call)]
fn not_deserialize(_limits: &With<Limits>) {}
//~                          ^^^^^^^^^^^^

#[hook(id = "beside_the_subject", kind = before_tool_call)]
async fn beside_the_subject(_input: &mut ToolInput, _limits: &With<Limits>) {}
//~                                                           ^^^^^^^^^^^^

#[hook(id = "by_value", kind = before_tool_call)]
fn by_value(_limits: With<u32>) -> ToolInput {
//~                  ^^^^^^^^^
    ToolInput::default()
}

#[hook(id = "changed", kind = before_tool_call)]
fn changed(_limits: &mut With<u32>) {}
//~                      ^^^^^^^^^

#[hook(id = "twice", kind = before_tool_call)]
fn twice(_limits: &With<u32>, _names: &With<String>) {}
//~                                    ^^^^

fn main() {}
