//! The flags and the failure policy of a kind.
use hook_sdk::prelude::*;

#[derive(HookKind)]
#[hook_kind(name = "json_flag", json = true)]
//~                                    ^^^^
pub struct Flag {}

#[derive(HookKind)]
#[hook_kind(name = "policies", on_failure = remove)]
//~                                         ^^^^^^
pub struct Policies {}

fn main() {}
