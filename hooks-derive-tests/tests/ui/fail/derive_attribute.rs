//! A kind needs a name.
use hook_sdk::prelude::*;

#[derive(HookKind)]
struct NoAttribute;
//~    ^^^^^^^^^^^

mod nameless {
    use super::*;

    #[derive(HookKind)]
    #[hook_kind]
//~   ^^^^^^^^^
    struct NoList;

    #[derive(HookKind)]
    #[hook_kind()]
//~   ^^^^^^^^^
    struct NoName;

    #[derive(HookKind)]
    #[hook_kind(verdict = Permission)]
//~   ^^^^^^^^^
    struct NoNameButVerdict;
}

#[derive(HookKind)]
#[hook_kind(name = "BeforeRefund")]
//~                ^^^^^^^^^^^^^^
struct BadName;

#[derive(HookKind)]
#[hook_kind(name = before_refund)]
//~                ^^^^^^^^^^^^^
struct NoString;

fn main() {}
