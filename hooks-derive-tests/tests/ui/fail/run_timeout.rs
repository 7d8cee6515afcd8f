//! A plain function cannot be interrupted. With `blocking`, it can have a timeout.
use hook_sdk::prelude::*;

#[hook(id = "detached", kind = after_create_message, run = detached, timeout = "2s")]
//~                                                                  ^^^^^^^
fn detached() {}

#[hook(id = "background", kind = after_create_message, run = background, timeout = "2s")]
//~                                                                      ^^^^^^^
fn background() {}

fn main() {}
