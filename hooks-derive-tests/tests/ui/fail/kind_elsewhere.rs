//! The compiler answers the names of other systems with the names of this SDK.
use hook_sdk::prelude::*;

#[hook(id = "claude_code", kind = PreToolUse)]
//~                               ^^^^^^^^^^
fn claude_code() {}

#[hook(id = "vellum", kind = pre-tool-use)]
//~                          ^^^^^^^^^^^^
fn vellum() {}

#[hook(id = "snake", kind = post_tool_use)]
//~                         ^^^^^^^^^^^^^
fn snake() {}

#[hook(id = "camel", kind = userPromptSubmit)]
//~                         ^^^^^^^^^^^^^^^^
fn camel() {}

#[hook(id = "adk", kind = before_tool_callback)]
//~                       ^^^^^^^^^^^^^^^^^^^^
fn adk() {}

fn main() {}
