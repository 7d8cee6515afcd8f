//! The fallback function has to exist.
use hook_sdk::prelude::*;

#[hook(id = "policy", kind = before_tool_call, fallback = deny)]
//~                                                       ^^^^
fn policy() {}

#[hook(id = "misspelt", kind = before_tool_call, fallback = permit)]
//~                                                         ^^^^^^
fn misspelt() -> Permission {
    Permission::Allow
}

fn permits() -> Permission {
    Permission::Allow
}

fn main() {}
