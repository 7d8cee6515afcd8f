//! Repeated options together with wrong options.
use hook_sdk::prelude::*;

#[hook(id = "one", id = "one", kind = before_tool_cal, kind = before_tool_call, tool = "", tool = "bash", prioity = 1)]
//~                ^^                 ^^^^^^^^^^^^^^^  ^^^^                            ^^  ^^^^           ^^^^^^^
fn one() {}

fn main() {}
