//! `fallback` takes the path of a function.
use hook_sdk::prelude::*;

#[hook(id = "closure", kind = before_tool_call, fallback = |_| Permission::Allow)]
//~                                                        ^
fn closure(_input: &ToolInput) -> Permission {
    Permission::Allow
}

#[hook(id = "called", kind = before_tool_call, fallback = permits())]
//~                                                       ^^^^^^^
fn called() -> Permission {
    Permission::Allow
}

fn permits() -> Permission {
    Permission::Allow
}

#[hook(id = "value", kind = before_tool_call, fallback = Permission::Allow)]
//~                                                      ^^^^^^^^^^^^^^^^^
fn value() -> Permission {
    Permission::Allow
}

fn main() {}
