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

#[hook(id = "hours", kind = after_create_message, run = background, delay = "1h")]
//~                                                                         ^^^^
fn hours() {}

fn main() {}
