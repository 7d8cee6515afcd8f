//! `after`, `before` and `requires` take lists of ids.
use hook_sdk::prelude::*;

#[hook(id = "words", kind = before_tool_call, after = [redact_pii, count])]
//~                                                    ^^^^^^^^^^  ^^^^^
fn words() {}

#[hook(id = "one_word", kind = before_tool_call, before = redact_pii)]
//~                                                       ^^^^^^^^^^
fn one_word() {}

#[hook(id = "one_text", kind = before_tool_call, requires = "redact_pii")]
//~                                                         ^^^^^^^^^^^^
fn one_text() {}

#[hook(id = "parentheses", kind = before_tool_call, after("redact_pii"))]
//~                                                       ^^^^^^^^^^^^
fn parentheses() {}

#[hook(id = "star", kind = before_tool_call, before = ["*"])]
//~                                                    ^^^
fn star() {}

#[hook(id = "path", kind = before_tool_call, requires = ["guards::redact"])]
//~                                                      ^^^^^^^^^^^^^^^^
fn path() {}

#[hook(id = "twice", kind = before_tool_call, after = ["redact_pii", "count", "redact_pii"])]
//~                                                                           ^^^^^^^^^^^^
fn twice() {}

fn main() {}
