//! Mistakes in the options, parameters and return type of one hook, each reported at its own token.
use hook_sdk::prelude::*;

#[hook(id = "wrong_throughout", kind = before_tool_call, trigger = "x", on_failure = remove)]
//~                                                      ^^^^^^^                     ^^^^^^
async fn wrong_throughout(_result: &mut ToolResult, _name: &String, _count: &u64) -> bool {
//~                                     ^^^^^^^^^^          ^^^^^^           ^^^     ^^^^
    true
}

fn main() {}
