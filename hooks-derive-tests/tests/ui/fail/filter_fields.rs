//! Each filter field belongs to certain kinds.
use hook_sdk::prelude::*;

#[hook(id = "trigger", kind = before_tool_call, trigger = "auto")]
//~                                             ^^^^^^^
fn trigger() {}

#[hook(id = "tool", kind = before_compaction, tool = "bash")]
//~                                           ^^^^
fn tool() {}

#[hook(id = "role", kind = before_create_message, role = "user")]
//~                                               ^^^^
fn role() {}

#[hook(id = "source", kind = session_end, source = "cli")]
//~                                       ^^^^^^
fn source() {}

#[hook(id = "model", kind = pre_model_call, model = "small-*")]
//~                                         ^^^^^
fn model() {}

#[hook(id = "nearly", kind = message_received, chanel = "telegram")]
//~                                            ^^^^^^
fn nearly() {}

fn main() {}
