//! Nobody waits for such a hook, so nobody takes what a fallback answers.
use hooks_core::prelude::*;

#[hook(id = "detached", kind = before_tool_call, run = detached, fallback = other)]
//~                                                              ^^^^^^^^
fn detached() {}

#[hook(id = "background", kind = after_create_message, fallback = other, run = background)]
//~                                                    ^^^^^^^^
fn background() {}

fn other() {}

fn main() {}
