//! An event is one concrete type.
use hook_sdk::prelude::*;

#[derive(HookKind)]
#[hook_kind(name = "of_type")]
struct OfType<T> {
//~           ^
    value: T,
}

#[derive(HookKind)]
#[hook_kind(name = "of_lifetime")]
struct OfLifetime<'a> {
//~               ^^
    value: &'a str,
}

#[derive(HookKind)]
#[hook_kind(name = "of_const")]
struct OfConst<const N: usize>;
//~            ^^^^^^^^^^^^^^

fn main() {}
