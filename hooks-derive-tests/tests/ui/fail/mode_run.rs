//! A detached or background hook cannot be a shadow, because its answers never count.
use hook_sdk::prelude::*;

#[hook(id = "detached", kind = before_tool_call, run = detached, mode = shadow)]
//~                                                                     ^^^^^^
fn detached() {}

#[hook(id = "background", kind = after_create_message, mode = shadow, run = background)]
//~                                                           ^^^^^^
fn background() {}

fn main() {}
