//! A detached or background hook has no fallback, because nothing uses its answer.
use hook_sdk::prelude::*;

#[hook(id = "detached", kind = before_tool_call, run = detached, fallback = other)]
//~                                                              ^^^^^^^^
fn detached() {}

#[hook(id = "background", kind = after_create_message, fallback = other, run = background)]
//~                                                    ^^^^^^^^
fn background() {}

fn other() {}

fn main() {}
