//! Words of a verdict that are wrong, each at its own place.
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

fn main() {}
