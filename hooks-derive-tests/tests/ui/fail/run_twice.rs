//! Each option appears once, under its own name.
use hook_sdk::prelude::*;

#[hook(id = "twice", kind = after_create_message, run = detached, run = background, blocking, blocking)]
//~                                                               ^^^                         ^^^^^^^^
fn twice() {}

#[hook(id = "misspelt", kind = after_create_message, runs = detached, bloking, idempotant, retrys = 3)]
//~                                                  ^^^^             ^^^^^^^  ^^^^^^^^^^  ^^^^^^
fn misspelt() {}

fn main() {}
