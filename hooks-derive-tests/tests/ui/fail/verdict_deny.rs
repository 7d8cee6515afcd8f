//! The `deny` variant is the strongest one and holds one value.
use hook_sdk::prelude::*;
use hook_sdk::verdict::Denial;

#[derive(Clone, Debug, Verdict)]
enum NotLast {
    #[verdict(neutral)]
    Nothing,
    #[verdict(deny)]
    Refuse,
//~ ^^^^^^
    Stronger,
}

#[derive(Clone, Debug, Verdict)]
enum Twice {
    #[verdict(neutral)]
    Nothing,
    #[verdict(deny)]
    Refuse,
    #[verdict(deny)]
    RefuseToo,
//~ ^^^^^^^^^
}

#[derive(Clone, Debug, Verdict)]
enum TwoFields {
    #[verdict(neutral)]
    Nothing,
    #[verdict(deny)]
    Refuse { denial: Denial, code: u8 },
//~        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
}

#[derive(Clone, Debug, Verdict)]
enum NotADenial {
    #[verdict(neutral)]
    Nothing,
    #[verdict(deny)]
    Refuse(u8),
//~        ^^
}

fn main() {}
