//! Rust keywords are valid ids, except those that are path segments.
use hook_sdk::prelude::*;

#[hook(id = "self", kind = before_tool_call)]
//~         ^^^^^^
fn of_self() {}

#[hook(id = "crate", kind = before_tool_call)]
//~         ^^^^^^^
fn of_crate() {}

#[hook(id = "super", kind = before_tool_call)]
//~         ^^^^^^^
fn of_super() {}

#[hook(id = "type", kind = before_tool_call)]
fn of_type() {}

fn main() {}
