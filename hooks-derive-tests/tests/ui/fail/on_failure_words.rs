//! The four failure policies.
//! Names that other systems use for the failure policies.
//! The words of `on_replay`.
use hook_sdk::prelude::*;

#[hook(id = "near", kind = before_tool_call, on_failure = denied)]
//~                                                       ^^^^^^
fn near() {}

#[hook(id = "far", kind = before_tool_call, on_failure = explode)]
//~                                                      ^^^^^^^
fn far() {}

#[hook(id = "text", kind = before_tool_call, on_failure = "deny")]
//~                                                       ^^^^^^
fn text() {}

#[hook(id = "call", kind = before_tool_call, on_failure(deny))]
//~                                                     ^^^^
fn call() {}

#[hook(id = "closed", kind = before_tool_call, on_failure = fail_closed)]
//~                                                         ^^^^^^^^^^^
fn closed() {}

#[hook(id = "open", kind = before_tool_call, on_failure = "open")]
//~                                                       ^^^^^^
fn open() {}

#[hook(id = "ignore", kind = before_tool_call, on_failure = ignore)]
//~                                                         ^^^^^^
fn ignore() {}

#[hook(id = "error", kind = before_tool_call, on_failure = abort)]
//~                                                        ^^^^^
fn error() {}

#[hook(id = "retry", kind = before_tool_call, on_failure = retry(3))]
//~                                                        ^^^^^
fn retry() {}

#[hook(id = "variant", kind = before_tool_call, on_failure = OnFailure::Deny)]
//~                                                          ^^^^^^^^^
fn variant() {}

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
