//! Without `id`, the name of the function is the id, so it has the form of one.
use hook_sdk::prelude::*;

#[hook(kind = before_tool_call)]
#[allow(non_snake_case)]
fn RedactPii() {}
//~^^^^^^^^^

#[hook(kind = before_tool_call)]
fn r#type() {}
//~^^^^^^

#[hook(kind = before_tool_call)]
fn größe() {}
//~^^^^^

#[hook(kind = before_tool_call)]
fn _hidden() {}
//~^^^^^^^

#[hook(kind = before_tool_call)]
fn fits_2() {}

fn main() {}
