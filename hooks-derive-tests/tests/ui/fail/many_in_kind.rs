//! Everything that is wrong with a kind, in one compile.
use hooks_core::prelude::*;

#[derive(HookKind)]
#[hook_kind(
    name = "Before Refund",
//~        ^^^^^^^^^^^^^^^
    subjekt = Refund,
//~ ^^^^^^^
    removable = yes,
//~             ^^^
    match(kind, region, region),
//~       ^^^^          ^^^^^^
)]
pub struct BeforeRefund<'a> {
//~                     ^^
    pub kind: String,
    pub region: &'a str,
}

fn main() {}
