//! A timeout is a number with a unit. Only async and blocking hooks can have one.
//! Durations in the notation of other systems.
use hook_sdk::prelude::*;

#[hook(id = "number", kind = before_tool_call, timeout = 250)]
//~                                                      ^^^
async fn number() {}

#[hook(id = "no_unit", kind = before_tool_call, timeout = "250")]
//~                                                       ^^^^^
async fn no_unit() {}

#[hook(id = "unknown_unit", kind = before_tool_call, timeout = "2w")]
//~                                                            ^^^^
async fn unknown_unit() {}

#[hook(id = "zero", kind = before_tool_call, timeout = "0s")]
//~                                                    ^^^^
async fn zero() {}

#[hook(id = "never", kind = before_tool_call, timeout = never)]
//~                                                     ^^^^^
async fn never() {}

#[hook(id = "plain_function", kind = before_tool_call, timeout = "2s")]
//~                                                    ^^^^^^^
fn plain_function() {}

#[hook(id = "words", kind = before_tool_call, timeout = "5 minutes")]
//~                                                     ^^^^^^^^^^^
async fn words() {}

#[hook(id = "seconds", kind = before_tool_call, timeout = 5)]
//~                                                       ^
async fn seconds() {}

#[hook(id = "fraction", kind = before_tool_call, timeout = "1.5s")]
//~                                                        ^^^^^^
async fn fraction() {}

#[hook(id = "negative", kind = before_tool_call, timeout = "-1s")]
//~                                                        ^^^^^
async fn negative() {}

#[hook(id = "duration", kind = before_tool_call, timeout = Duration::from_secs(5))]
//~                                                        ^^^^^^^^
async fn duration() {}

#[hook(id = "text_none", kind = before_tool_call, timeout = "none")]
//~                                                         ^^^^^^
async fn text_none() {}

#[hook(id = "too_long", kind = before_tool_call, timeout = "99999999999999999999s")]
//~                                                        ^^^^^^^^^^^^^^^^^^^^^^^
async fn too_long() {}

#[hook(id = "longer_than_a_year", kind = before_tool_call, timeout = "99999999999999m")]
//~                                                                  ^^^^^^^^^^^^^^^^^
async fn longer_than_a_year() {}

#[hook(id = "flag", kind = before_tool_call, timeout)]
//~                                          ^^^^^^^
async fn flag() {}

fn main() {}
