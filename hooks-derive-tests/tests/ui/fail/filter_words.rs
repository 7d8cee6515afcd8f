//! A field with a fixed set of words accepts only those.
use hook_sdk::prelude::*;

#[hook(id = "capital", kind = after_create_message, role = "User")]
//~                                                        ^^^^^^
fn capital() {}

#[hook(id = "no_role", kind = after_update_message, role = "user|model")]
//~                                                        ^^^^^^^^^^^^
fn no_role() {}

#[hook(id = "delivery", kind = message_sent, delivery = "success")]
//~                                                     ^^^^^^^^^
fn delivery() {}

#[hook(id = "spelling", kind = stop, reason = "FinalResponse")]
//~                                           ^^^^^^^^^^^^^^^
fn spelling() {}

/// A harness may have words of its own.
#[hook(id = "own_word", kind = stop, reason = "out_of_fuel|max_*")]
fn own_word() {}

#[hook(id = "a_pattern", kind = after_create_message, role = "assist*|?ser")]
fn a_pattern() {}

fn main() {}
