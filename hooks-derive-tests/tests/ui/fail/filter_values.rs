//! All patterns of a field are in one string.
use hook_sdk::prelude::*;

#[hook(id = "list", kind = before_tool_call, tool = ["read_*", "write_*"])]
//~                                          ^^^^
fn list() {}

#[hook(id = "word", kind = before_tool_call, tool = bash)]
//~                                          ^^^^
fn word() {}

#[hook(id = "call", kind = before_tool_call, tool("bash"))]
//~                                          ^^^^
fn call() {}

#[hook(id = "flag", kind = before_tool_call, tool)]
//~                                          ^^^^
fn flag() {}

#[hook(id = "alternatives", kind = before_tool_call, tool = "a" | "b")]
//~                                                  ^^^^
fn alternatives() {}

#[hook(id = "negated", kind = before_tool_call, tool != "bash")]
//~                                             ^^^^
fn negated() {}

fn main() {}
