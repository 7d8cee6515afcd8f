//! The group of a hook is declared with `group!`.
use hook_sdk::prelude::*;

pub struct Masks;

#[hook(group = Masks, kind = before_create_message)]
//~            ^^^^^
fn rows(_: &mut Message) {}

#[hook(group = mask_pii, kind = before_create_message)]
//~            ^^^^^^^^
fn misspelt(_: &mut Message) {}

fn main() {}
