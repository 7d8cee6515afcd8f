//! Misspelt `plugin` and `locked` get a suggestion. Each appears once.
use hook_sdk::prelude::*;

#[hook(id = "near", kind = before_tool_call, plugins = "acme")]
//~                                          ^^^^^^^
fn near() {}

#[hook(id = "lock", kind = before_tool_call, loked)]
//~                                          ^^^^^
fn lock() {}

#[hook(id = "twice", kind = before_tool_call, plugin = "acme", locked, plugin = "other", locked)]
//~                                                                    ^^^^^^            ^^^^^^
fn twice() {}

fn main() {}
