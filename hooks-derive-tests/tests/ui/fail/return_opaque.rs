//! The return type of a hook is a named type.
use hook_sdk::prelude::*;

use std::future::Future;
use std::pin::Pin;

#[hook(id = "future", kind = before_tool_call)]
fn future() -> impl Future<Output = Permission> {
//~            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    async { Permission::Allow }
}

#[hook(id = "boxed_future", kind = before_tool_call)]
fn boxed_future() -> Pin<Box<dyn Future<Output = ()> + Send>> {
//~                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    Box::pin(async {})
}

#[hook(id = "opaque", kind = before_tool_call)]
fn opaque() -> impl Clone {
//~            ^^^^^^^^^^
    Permission::Allow
}

fn main() {}
