//! `fallback` takes the path of a function.
use hook_sdk::prelude::*;

#[hook(id = "closure", kind = before_tool_call, fallback = |_| Permission::allow())]
//~                                                        ^
fn closure(_input: &ToolInput) -> Permission {
    Permission::allow()
}

#[hook(id = "called", kind = before_tool_call, fallback = permits())]
//~                                                       ^^^^^^^
fn called() -> Permission {
    Permission::allow()
}

fn permits() -> Permission {
    Permission::allow()
}

#[hook(id = "value", kind = before_tool_call, fallback = Permission::Allow)]
//~                                                      ^^^^^^^^^^^^^^^^^
fn value() -> Permission {
    Permission::allow()
}

fn main() {}
