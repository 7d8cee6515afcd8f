//! A hook cannot be ordered relative to itself.
//! `after`, `before` and `requires` take lists of ids.
//! `priority` is an integer.
use hook_sdk::prelude::*;

#[hook(id = "first", kind = before_tool_call, after = ["first"])]
//~                                                    ^^^^^^^
fn first() {}

#[hook(before = ["second"], requires = ["second"], id = "second", kind = before_tool_call)]
//~              ^^^^^^^^               ^^^^^^^^
fn second() {}

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

#[hook(id = "word", kind = before_tool_call, priority = high)]
//~                                                     ^^^^
fn word() {}

#[hook(id = "text", kind = before_tool_call, priority = "10")]
//~                                                     ^^^^
fn text() {}

#[hook(id = "constant", kind = before_tool_call, priority = i32::MIN)]
//~                                                         ^^^
fn constant() {}

#[hook(id = "sum", kind = before_tool_call, priority = 10 + 1)]
//~                                                    ^^
fn sum() {}

#[hook(id = "flag", kind = before_tool_call, priority)]
//~                                          ^^^^^^^^
fn flag() {}

#[hook(id = "call", kind = before_tool_call, priority(10))]
//~                                                   ^^
fn call() {}

#[hook(id = "plus", kind = before_tool_call, priority = +10)]
//~                                                     ^
fn plus() {}

#[hook(id = "typed", kind = before_tool_call, priority = 10u8)]
fn typed() {}

fn main() {}
