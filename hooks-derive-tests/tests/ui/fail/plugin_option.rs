//! `plugin` takes the name of a plugin.
use hook_sdk::prelude::*;

#[hook(id = "word", kind = before_tool_call, plugin = acme)]
//~                                                   ^^^^
fn word() {}

#[hook(id = "number", kind = before_tool_call, plugin = 3)]
//~                                                     ^
fn number() {}

#[hook(id = "nothing", kind = before_tool_call, plugin)]
//~                                             ^^^^^^
fn nothing() {}

#[hook(id = "call", kind = before_tool_call, plugin("acme"))]
//~                                                 ^^^^^^
fn call() {}

fn main() {}
