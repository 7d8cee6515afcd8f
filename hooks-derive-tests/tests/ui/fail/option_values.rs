//! Values that an option does not accept.
//! Options are separated by commas. If a comma is missing, the other options are still checked.
use hook_sdk::prelude::*;

#[hook(id = "priority_text", kind = before_tool_call, priority = "high")]
//~                                                              ^^^^^^
fn priority_text() {}

#[hook(id = "priority_fraction", kind = before_tool_call, priority = 1.5)]
//~                                                                  ^^^
fn priority_fraction() {}

#[hook(id = "priority_too_large", kind = before_tool_call, priority = 3_000_000_000)]
//~                                                                   ^^^^^^^^^^^^^
fn priority_too_large() {}

#[hook(id = "after_text", kind = before_tool_call, after = "redact_pii")]
//~                                                        ^^^^^^^^^^^^
fn after_text() {}

#[hook(id = "after_words", kind = before_tool_call, after = [redact_pii])]
//~                                                          ^^^^^^^^^^
fn after_words() {}

#[hook(id = "before_form", kind = before_tool_call, before = ["Redact-Pii"], requires = ["a", "a"])]
//~                                                           ^^^^^^^^^^^^                    ^^^
fn before_form() {}

#[hook(id = "pattern_empty", kind = before_tool_call, tool = "fs_*|")]
//~                                                          ^^^^^^^
fn pattern_empty() {}

#[hook(id = "core_path", kind = before_tool_call, crate = "hook_sdk")]
//~                                                       ^^^^^^^^^^
fn core_path() {}

#[hook(id = "behind_id" kind = before_tool_call)]
//~                     ^^^^
fn behind_id() {}

#[hook(id = "behind_kind", kind = before_tool_call locked retries = "x")]
//~                                                ^^^^^^ ^^^^^^^   ^^^
//~                                                       ^^^^^^^
fn behind_kind() {}

#[hook(id = "semicolons"; kind = before_tool_call; locked;)]
//~                     ^                        ^       ^
fn semicolons() {}

#[hook(id = "no_value", kind = before_tool_call, locked =, priority =, visibility[debug])]
//~                                              ^^^^^^    ^^^^^^^^    ^^^^^^^^^^
fn no_value() {}

fn main() {}
