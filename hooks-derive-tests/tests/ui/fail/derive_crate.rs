//! The `crate` option of a kind.
use hook_sdk::prelude::*;

#[derive(HookKind)]
#[hook_kind(name = "own", crate = ::my_hooks, subject = String)]
//~                                 ^^^^^^^^
pub struct Own;

fn main() {}
