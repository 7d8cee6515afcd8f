//! The type is not a kind.
use hook_sdk::prelude::*;

struct Plain;

mod inner {
    pub struct Nested;
}

#[hook(id = "plain", kind = Plain)]
//~                         ^^^^^
fn plain() {}

#[hook(id = "reads", kind = Plain)]
//~                         ^^^^^
fn reads(_event: &Plain, _cx: &HookContext) {}

#[hook(id = "asynchronous", kind = Plain)]
//~                                ^^^^^
async fn asynchronous() {}

#[hook(id = "nested", kind = inner::Nested, tool = "x")]
//~                                 ^^^^^^
fn nested() {}

#[hook(id = "missing", kind = Missing)]
//~                           ^^^^^^^
fn missing() {}

fn main() {}
