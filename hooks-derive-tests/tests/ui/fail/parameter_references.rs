//! A parameter is a single reference.
use hook_sdk::prelude::*;

#[hook(id = "twice", kind = before_tool_call)]
fn twice(_input: &&ToolInput) {}
//~               ^^^^^^^^^^

#[hook(id = "twice_mut", kind = before_tool_call)]
fn twice_mut(_input: &mut &mut ToolInput) {}
//~                       ^^^^^^^^^^^^^^

#[hook(id = "of_box", kind = before_tool_call)]
fn of_box(_input: &Box<ToolInput>) {}
//~                ^^^^^^^^^^^^^^

#[hook(id = "pointer", kind = before_tool_call)]
fn pointer(_input: *const ToolInput) -> Permission {
//~                ^^^^^^^^^^^^^^^^     ^^^^^^^^^^
    Permission::Allow
}

fn main() {}
