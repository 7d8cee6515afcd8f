//! A pattern that can never match would keep its hook from running.
//! All patterns of a field are in one string.
use hook_sdk::prelude::*;

#[hook(id = "regex", kind = before_tool_call, tool = "^cancel_.*$")]
//~                                                  ^^^^^^^^^^^^^
fn regex() {}

#[hook(id = "list", kind = before_tool_call, tool = "read, write")]
//~                                                 ^^^^^^^^^^^^^
fn list() {}

#[hook(id = "negated", kind = before_tool_call, tool = "!refund")]
//~                                                    ^^^^^^^^^
fn negated() {}

#[hook(id = "rule", kind = before_tool_call, tool = "Bash(rm *)")]
//~                                                 ^^^^^^^^^^^^
fn rule() {}

#[hook(id = "anything", kind = before_tool_call, tool = "refund.*")]
//~                                                     ^^^^^^^^^^
fn anything() {}

#[hook(id = "class", kind = before_tool_call, tool = "refund[a-z]")]
//~                                                  ^^^^^^^^^^^^^
fn class() {}

#[hook(id = "repeated", kind = before_tool_call, tool = "refund+")]
//~                                                     ^^^^^^^^^
fn repeated() {}

#[hook(id = "braces", kind = before_tool_call, tool = "{read,write}_*")]
//~                                                   ^^^^^^^^^^^^^^^^
fn braces() {}

#[hook(id = "list", kind = before_tool_call, tool = ["read_*", "write_*"])]
//~                                          ^^^^
fn list_values() {}

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
fn negated_values() {}

fn main() {}
