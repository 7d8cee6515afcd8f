//! Names that other macros use for the options of a kind.
use hook_sdk::prelude::*;

#[derive(HookKind)]
#[hook_kind(id = "before_refund", input = String, output = Permission)]
//~         ^^                    ^^^^^           ^^^^^^
pub struct BeforeRefund;

mod kinds {
    use super::*;

    #[derive(HookKind)]
    #[hook_kind("after_refund")]
//~   ^^^^^^^^^ ^^^^^^^^^^^^^^
    pub struct AfterRefund;
}

#[derive(HookKind)]
#[hook_kind(name("of_refund"), subject(String), match[region])]
//~              ^^^^^^^^^^^           ^^^^^^   ^^^^^
pub struct OfRefund {
    pub region: String,
}

fn main() {}
