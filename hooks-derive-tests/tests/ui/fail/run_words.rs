//! The words of `run`.
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

fn main() {}
