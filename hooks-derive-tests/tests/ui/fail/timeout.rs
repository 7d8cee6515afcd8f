//! A timeout is a number with a unit. Only async and blocking hooks can have one.
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

fn main() {}
