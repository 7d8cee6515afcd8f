//! `priority` is an integer.
use hook_sdk::prelude::*;

#[hook(id = "word", kind = before_tool_call, priority = high)]
//~                                                     ^^^^
fn word() {}

#[hook(id = "text", kind = before_tool_call, priority = "10")]
//~                                                     ^^^^
fn text() {}

#[hook(id = "constant", kind = before_tool_call, priority = i32::MIN)]
//~                                                         ^^^
fn constant() {}

#[hook(id = "sum", kind = before_tool_call, priority = 10 + 1)]
//~                                                    ^^
fn sum() {}

#[hook(id = "flag", kind = before_tool_call, priority)]
//~                                          ^^^^^^^^
fn flag() {}

#[hook(id = "call", kind = before_tool_call, priority(10))]
//~                                                   ^^
fn call() {}

#[hook(id = "plus", kind = before_tool_call, priority = +10)]
//~                                                     ^
fn plus() {}

#[hook(id = "typed", kind = before_tool_call, priority = 10u8)]
fn typed() {}

fn main() {}
