//! All mistakes in one kind, reported in one build.
use hook_sdk::prelude::*;

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
