//! `main` cannot be a hook.
use hook_sdk::prelude::*;

#[hook(id = "start", kind = before_tool_call)]
pub fn main() {}
//~    ^^^^
