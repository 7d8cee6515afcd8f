//! `retries` needs `run = background` and `idempotent`.
use hook_sdk::prelude::*;

#[hook(id = "inline", kind = after_create_message, retries = 3)]
//~                                                ^^^^^^^
fn inline() {}

#[hook(id = "detached", kind = after_create_message, run = detached, idempotent, retries = 3)]
//~                                                                              ^^^^^^^
fn detached() {}

#[hook(id = "not_idempotent", kind = after_create_message, retries = 3, run = background)]
//~                                                        ^^^^^^^
fn not_idempotent() {}

fn main() {}
