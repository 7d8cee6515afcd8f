//! A signature that fits another kind, with options that fit neither kind.
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;

#[hook(id = "writes", kind = after_create_message, on_failure = deny, tool = "bash")]
//~                                                             ^^^^  ^^^^
fn writes(event: &AfterCreateMessage, _row: &mut Message) -> Option<Message> {
//~                                              ^^^^^^^     ^^^^^^^^^^^^^^^
    let _ = event;
    None
}

fn main() {}
