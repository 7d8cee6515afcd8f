//! The words of `visibility`.
use hook_sdk::prelude::*;

#[hook(id = "unknown", kind = before_tool_call, visibility = public)]
//~                                                          ^^^^^^
fn unknown() {}

#[hook(id = "near", kind = before_tool_call, visibility = user_visble)]
//~                                                       ^^^^^^^^^^^
fn near() {}

#[hook(id = "text", kind = before_tool_call, visibility = "debug")]
//~                                                       ^^^^^^^
fn text() {}

#[hook(id = "flag", kind = before_tool_call, visibility)]
//~                                          ^^^^^^^^^^
fn flag() {}

#[hook(id = "twice", kind = before_tool_call, visibility = debug, visibility = internal)]
//~                                                               ^^^^^^^^^^
fn twice() {}

#[hook(id = "misspelt", kind = before_tool_call, visiblity = debug)]
//~                                              ^^^^^^^^^
fn misspelt() {}

fn main() {}
