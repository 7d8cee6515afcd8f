//! The words of `run`.
//! Each option appears once, under its own name.
//! A plain function cannot be interrupted. With `blocking`, it can have a timeout.
//! The words of `mode`.
//! A detached or background hook cannot be a shadow, because its answers never count.
use hook_sdk::prelude::*;

#[hook(id = "quoted", kind = before_tool_call, run = "detached")]
//~                                                  ^^^^^^^^^^
fn quoted() {}

#[hook(id = "misspelt", kind = before_tool_call, run = detach)]
//~                                                    ^^^^^^
fn misspelt() {}

#[hook(id = "another_word", kind = before_tool_call, run = fire_and_forget)]
//~                                                        ^^^^^^^^^^^^^^^
fn another_word() {}

#[hook(id = "no_value", kind = before_tool_call, run)]
//~                                              ^^^
fn no_value() {}

#[hook(id = "in_brackets", kind = before_tool_call, run(detached))]
//~                                                     ^^^^^^^^
fn in_brackets() {}

#[hook(id = "a_number", kind = before_tool_call, run = 3)]
//~                                                    ^
fn a_number() {}

#[hook(id = "twice", kind = after_create_message, run = detached, run = background, blocking, blocking)]
//~                                                               ^^^                         ^^^^^^^^
fn twice() {}

#[hook(id = "misspelt", kind = after_create_message, runs = detached, bloking, idempotant, retrys = 3)]
//~                                                  ^^^^             ^^^^^^^  ^^^^^^^^^^  ^^^^^^
fn misspelt_twice() {}

#[hook(id = "detached", kind = after_create_message, run = detached, timeout = "2s")]
//~                                                                  ^^^^^^^
fn detached() {}

#[hook(id = "background", kind = after_create_message, run = background, timeout = "2s")]
//~                                                                      ^^^^^^^
fn background() {}

#[hook(id = "quoted", kind = before_tool_call, mode = "shadow")]
//~                                                   ^^^^^^^^
fn quoted_words() {}

#[hook(id = "misspelt", kind = before_tool_call, mode = shadw)]
//~                                                     ^^^^^
fn misspelt_words() {}

#[hook(id = "another_word", kind = before_tool_call, mode = dry_run)]
//~                                                         ^^^^^^^
fn another_word_words() {}

#[hook(id = "of_another_option", kind = before_tool_call, mode = detached)]
//~                                                              ^^^^^^^^
fn of_another_option() {}

#[hook(id = "no_value", kind = before_tool_call, mode)]
//~                                              ^^^^
fn no_value_words() {}

#[hook(id = "alone", kind = before_tool_call, shadow)]
//~                                           ^^^^^^
fn alone() {}

#[hook(id = "twice", kind = before_tool_call, mode = shadow, mode = enforce)]
//~                                                          ^^^^
fn twice_words() {}

#[hook(id = "near", kind = before_tool_call, mod = shadow)]
//~                                          ^^^
fn near() {}

#[hook(id = "detached", kind = before_tool_call, run = detached, mode = shadow)]
//~                                                                     ^^^^^^
fn detached_run() {}

#[hook(id = "background", kind = after_create_message, mode = shadow, run = background)]
//~                                                           ^^^^^^
fn background_run() {}

fn main() {}
