//! The subject is taken directly, without a smart pointer or collection around it.
use hook_sdk::prelude::*;

use std::borrow::Cow;
use std::sync::Arc;

#[hook(id = "shared", kind = before_tool_call)]
fn shared(_input: Arc<ToolInput>) -> Permission {
//~               ^^^^^^^^^^^^^^     ^^^^^^^^^^
    Permission::Allow
}

#[hook(id = "boxed", kind = before_tool_call)]
fn boxed(input: Box<ToolInput>) -> Box<ToolInput> {
//~             ^^^^^^^^^^^^^^     ^^^^^^^^^^^^^^
    input
}

#[hook(id = "optional", kind = before_tool_call)]
fn optional(_input: &mut Option<ToolInput>) {}
//~                      ^^^^^^^^^^^^^^^^^

#[hook(id = "optional_reference", kind = before_tool_call)]
fn optional_reference(_input: Option<&ToolInput>) -> Permission {
//~                           ^^^^^^^^^^^^^^^^^^     ^^^^^^^^^^
    Permission::Allow
}

#[hook(id = "cow", kind = before_tool_call)]
fn cow(_input: &Cow<'static, ToolInput>) {}
//~             ^^^^^^^^^^^^^^^^^^^^^^^

#[hook(id = "tuple", kind = before_tool_call)]
fn tuple(_all: (&HookContext, &ToolInput)) -> Permission {
//~            ^^^^^^^^^^^^^^^^^^^^^^^^^^     ^^^^^^^^^^
    Permission::Allow
}

fn main() {}
