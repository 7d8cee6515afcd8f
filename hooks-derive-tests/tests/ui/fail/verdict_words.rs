//! Wrong words in a verdict, each reported at its own place.
use hooks_core::prelude::*;

#[derive(Clone, Debug, Verdict)]
#[verdict(contributes, neutral, first, crate = "hooks_core")]
//~       ^^^^^^^^^^^  ^^^^^^^  ^^^^^          ^^^^^^^^^^^^
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
    by: Option<hooks_core::HookId>,
    #[verdict(by = "decision")]
//~                ^^^^^^^^^^
    also: Option<hooks_core::HookId>,
}

fn main() {}
