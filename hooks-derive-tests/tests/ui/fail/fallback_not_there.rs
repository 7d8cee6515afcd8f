//! A fallback is a function that is there.
use hooks_core::prelude::*;

#[hook(id = "policy", kind = before_tool_call, fallback = deny)]
//~                                                       ^^^^
fn policy() {}

#[hook(id = "misspelt", kind = before_tool_call, fallback = permit)]
//~                                                         ^^^^^^
fn misspelt() -> Permission {
    Permission::allow()
}

fn permits() -> Permission {
    Permission::allow()
}

fn main() {}
