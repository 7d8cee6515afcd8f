//! Wrong words in a verdict, each reported at its own place.
use hook_sdk::prelude::*;

#[derive(Clone, Debug, Verdict)]
#[verdict(contributes, neutral, first, crate = "hook_sdk")]
//~       ^^^^^^^^^^^  ^^^^^^^  ^^^^^          ^^^^^^^^^^
enum Review {
    #[verdict(neutrl)]
//~           ^^^^^^
    Nothing,
    #[verdict(contribute, joined, final = true, final)]
//~           ^^^^^^^^^^  ^^^^^^          ^^^^  ^^^^^
    Look,
    #[verdict]
//~   ^^^^^^^
    Again(#[verdict(frist)] Option<u8>, #[verdict(final)] Option<u8>),
//~                 ^^^^^                         ^^^^^
    #[verdict(deny, strongest)]
//~                 ^^^^^^^^^
    Refuse,
}

#[derive(Clone, Debug, Verdict)]
struct Whose {
    #[verdict(nested)]
    decision: Permission,
    #[verdict(joined)]
    notes: Vec<String>,
    #[verdict(by = notes)]
//~                ^^^^^
    by: Option<hook_sdk::HookId>,
    #[verdict(by = "decision")]
//~                ^^^^^^^^^^
    also: Option<hook_sdk::HookId>,
}

fn main() {}
