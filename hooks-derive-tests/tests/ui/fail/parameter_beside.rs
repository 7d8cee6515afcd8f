//! A hook that rewrites the subject can also take the context and the event, but nothing else.
use hook_sdk::data;
use hook_sdk::prelude::*;

#[hook(id = "read_beside", kind = before_tool_call)]
fn read_beside(_input: &mut ToolInput, _again: &data::ToolInput) {}
//~                                             ^^^^^^^^^^^^^^^

#[hook(id = "unknown_beside", kind = before_tool_call)]
async fn unknown_beside(_input: &mut ToolInput, _name: &String) {}
//~                                                     ^^^^^^

#[hook(id = "value_beside", kind = before_tool_call)]
fn value_beside(input: ToolInput, _again: &data::ToolInput) -> ToolInput {
//~                                        ^^^^^^^^^^^^^^^
    input
}

fn main() {}
