//! The words of `on_replay`.
use hook_sdk::prelude::*;

#[hook(id = "quoted", kind = before_tool_call, on_replay = "skip")]
//~                                                        ^^^^^^
fn quoted() {}

#[hook(id = "misspelt", kind = before_tool_call, on_replay = skp)]
//~                                                          ^^^
fn misspelt() {}

#[hook(id = "another_word", kind = before_tool_call, on_replay = mock)]
//~                                                              ^^^^
fn another_word() {}

#[hook(id = "no_value", kind = before_tool_call, on_replay)]
//~                                              ^^^^^^^^^
fn no_value() {}

#[hook(id = "of_others", kind = before_tool_call, replay = skip)]
//~                                               ^^^^^^
fn of_others() {}

fn main() {}
