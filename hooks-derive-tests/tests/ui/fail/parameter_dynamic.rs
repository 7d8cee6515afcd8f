//! A trait object cannot be a parameter: event and subject have concrete types.
use hook_sdk::prelude::*;

use std::any::Any;
use std::fmt::{Debug, Display};

#[hook(id = "dynamic", kind = before_tool_call)]
fn dynamic(_input: &dyn Any) {}
//~                 ^^^^^^^

#[hook(id = "dynamic_mut", kind = before_tool_call)]
fn dynamic_mut(_input: &mut dyn Debug) {}
//~                         ^^^^^^^^^

#[hook(id = "dynamic_beside", kind = before_tool_call)]
fn dynamic_beside(_input: &mut ToolInput, _name: &(dyn Display + Send)) {}
//~                                                ^^^^^^^^^^^^^^^^^^

fn main() {}
