//! The words of `mode`.
use hook_sdk::prelude::*;

#[hook(id = "quoted", kind = before_tool_call, mode = "shadow")]
//~                                                   ^^^^^^^^
fn quoted() {}

#[hook(id = "misspelt", kind = before_tool_call, mode = shadw)]
//~                                                     ^^^^^
fn misspelt() {}

#[hook(id = "another_word", kind = before_tool_call, mode = dry_run)]
//~                                                         ^^^^^^^
fn another_word() {}

#[hook(id = "of_another_option", kind = before_tool_call, mode = detached)]
//~                                                              ^^^^^^^^
fn of_another_option() {}

#[hook(id = "no_value", kind = before_tool_call, mode)]
//~                                              ^^^^
fn no_value() {}

#[hook(id = "alone", kind = before_tool_call, shadow)]
//~                                           ^^^^^^
fn alone() {}

#[hook(id = "twice", kind = before_tool_call, mode = shadow, mode = enforce)]
//~                                                          ^^^^
fn twice() {}

#[hook(id = "near", kind = before_tool_call, mod = shadow)]
//~                                          ^^^
fn near() {}

fn main() {}
