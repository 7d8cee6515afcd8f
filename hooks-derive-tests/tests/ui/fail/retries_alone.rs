//! `retries` needs `run = background` and `idempotent`.
//! `retries` is a number.
//! `idempotent` takes no value.
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

#[hook(id = "zero", kind = after_create_message, run = background, idempotent, retries = 0)]
//~                                                                                      ^
fn zero() {}

#[hook(id = "negative", kind = after_create_message, run = background, idempotent, retries = -1)]
//~                                                                                          ^
fn negative() {}

#[hook(id = "too_many", kind = after_create_message, run = background, idempotent, retries = 101)]
//~                                                                                          ^^^
fn too_many() {}

#[hook(id = "quoted", kind = after_create_message, run = background, idempotent, retries = "3")]
//~                                                                                        ^^^
fn quoted() {}

#[hook(id = "no_value", kind = after_create_message, run = background, idempotent, retries)]
//~                                                                                ^^^^^^^
fn no_value() {}

#[hook(id = "yes", kind = after_create_message, run = background, idempotent = true)]
//~                                                                            ^^^^
fn yes() {}

#[hook(id = "with_retries", kind = after_create_message, run = background, idempotent(key), retries = 2)]
//~                                                                                   ^^^
fn with_retries() {}

fn main() {}
