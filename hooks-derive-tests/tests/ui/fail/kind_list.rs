//! A list of kinds has at least one entry and no duplicates.
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;

#[hook(id = "empty", kind = [])]
//~                         ^^
fn empty() {}

#[hook(id = "twice", kind = [before_tool_call, before_tool_call])]
//~                                            ^^^^^^^^^^^^^^^^
fn twice() {}

#[hook(id = "word_and_type", kind = [before_tool_call, BeforeToolCall])]
//~                                                    ^^^^^^^^^^^^^^
fn word_and_type() {}

#[hook(id = "unknown", kind = [before_tool_call, before_tol_call, PreToolUse])]
//~                                              ^^^^^^^^^^^^^^^  ^^^^^^^^^^
fn unknown() {}

fn main() {}
