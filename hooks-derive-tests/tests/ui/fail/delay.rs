//! `delay` is a time, and needs `run = background`.
use hook_sdk::prelude::*;

#[hook(id = "inline", kind = after_create_message, delay = "10m")]
//~                                                ^^^^^
fn inline() {}

#[hook(id = "detached", kind = after_create_message, run = detached, delay = "10m")]
//~                                                                  ^^^^^
fn detached() {}

#[hook(id = "number", kind = after_create_message, run = background, delay = 10)]
//~                                                                          ^^
fn number() {}

#[hook(id = "zero", kind = after_create_message, run = background, delay = "0s")]
//~                                                                        ^^^^
fn zero() {}

#[hook(id = "weeks", kind = after_create_message, run = background, delay = "1w")]
//~                                                                         ^^^^
fn weeks() {}

#[hook(id = "too_long", kind = after_create_message, run = background, delay = "366d")]
//~                                                                            ^^^^^^
fn too_long() {}

fn main() {}
