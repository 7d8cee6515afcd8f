//! `retries` is a number.
use hook_sdk::prelude::*;

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

fn main() {}
