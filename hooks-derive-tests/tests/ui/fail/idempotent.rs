//! `idempotent` takes no value.
use hook_sdk::prelude::*;

#[hook(id = "yes", kind = after_create_message, run = background, idempotent = true)]
//~                                                                            ^^^^
fn yes() {}

#[hook(id = "with_retries", kind = after_create_message, run = background, idempotent(key), retries = 2)]
//~                                                                                   ^^^
fn with_retries() {}

fn main() {}
