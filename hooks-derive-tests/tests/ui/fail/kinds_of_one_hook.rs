//! The signature has to fit every kind in the list.
use hook_sdk::prelude::*;

#[hook(id = "fits_one", kind = [before_tool_call, after_tool_call_success])]
fn fits_one(_input: &mut ToolInput) {}
//~                      ^^^^^^^^^

#[hook(id = "fits_none", kind = [before_tool_call, after_tool_call_success])]
fn fits_none() -> bool {
//~               ^^^^
//~               ^^^^
    true
}

fn main() {}
