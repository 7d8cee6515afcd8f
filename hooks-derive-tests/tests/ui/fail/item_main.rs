//! `main` cannot be a hook.
use hooks_core::prelude::*;

#[hook(id = "start", kind = before_tool_call)]
pub fn main() {}
//~    ^^^^
