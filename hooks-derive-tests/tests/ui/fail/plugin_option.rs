//! `plugin` takes the name of a plugin.
//! Misspelt `plugin` and `locked` get a suggestion. Each appears once.
//! The name of a plugin has the same form as an id.
use hook_sdk::prelude::*;

#[hook(id = "word", kind = before_tool_call, plugin = acme)]
//~                                                   ^^^^
fn word() {}

#[hook(id = "number", kind = before_tool_call, plugin = 3)]
//~                                                     ^
fn number() {}

#[hook(id = "nothing", kind = before_tool_call, plugin)]
//~                                             ^^^^^^
fn nothing() {}

#[hook(id = "call", kind = before_tool_call, plugin("acme"))]
//~                                                 ^^^^^^
fn call() {}

#[hook(id = "near", kind = before_tool_call, plugins = "acme")]
//~                                          ^^^^^^^
fn near() {}

#[hook(id = "lock", kind = before_tool_call, loked)]
//~                                          ^^^^^
fn lock() {}

#[hook(id = "twice", kind = before_tool_call, plugin = "acme", locked, plugin = "other", locked)]
//~                                                                    ^^^^^^            ^^^^^^
fn twice() {}

#[hook(id = "kebab", kind = before_tool_call, plugin = "acme-guards")]
//~                                                    ^^^^^^^^^^^^^
fn kebab() {}

#[hook(id = "empty", kind = before_tool_call, plugin = "")]
//~                                                    ^^
fn empty() {}

#[hook(id = "path", kind = before_tool_call, plugin = "crate")]
//~                                                   ^^^^^^^
fn path() {}

fn main() {}
