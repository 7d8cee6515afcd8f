//! Unknown options.
//! A word such as `detached` needs its option: `run = detached`.
//! Each option appears once.
use hook_sdk::prelude::*;

#[hook(id = "near", kind = before_tool_call, prioritty = 3)]
//~                                          ^^^^^^^^^
fn near() {}

#[hook(id = "no_filter", kind = before_tool_call, colour = 3)]
//~                                               ^^^^^^
fn no_filter() {}

#[hook(id = "flag", kind = before_tool_call, fast)]
//~                                          ^^^^
fn flag() {}

#[hook(id = "call", kind = before_tool_call, limit(3))]
//~                                          ^^^^^
fn call() {}

#[hook(id = "mode", kind = before_tool_call, detached)]
//~                                          ^^^^^^^^
fn mode() {}

#[hook(id = "job", kind = before_tool_call, background)]
//~                                         ^^^^^^^^^^
fn job() {}

#[hook(id = "first", id = "second", kind = before_tool_call, kind = filter_messages)]
//~                  ^^                                      ^^^^
fn id_and_kind() {}

#[hook(id = "third", kind = before_tool_call, tool = "a", priority = 1, tool = "b", priority = 2)]
//~                                                                     ^^^^        ^^^^^^^^
fn others() {}

fn main() {}
