//! Parameters from a list are a struct that implements `Deserialize`.
use hook_sdk::prelude::*;

#[hook(id = "borrowed", kind = before_tool_call)]
fn borrowed(_limits: &With<&str>) {}
//~                   ^^^^
//~                   ^^^^^^^^^^

#[hook(id = "not_shared", kind = before_tool_call)]
fn not_shared(_limits: &With<std::rc::Rc<u32>>) {}
//~                     ^^^^^^^^^^^^^^^^^^^^^^

fn main() {}
