//! The `neutral` variant is the first one and holds no value.
use hook_sdk::prelude::*;

#[derive(Clone, Debug, Verdict)]
enum NoneNeutral {
//~  ^^^^^^^^^^^
    Yes,
    No,
}

#[derive(Clone, Debug, Verdict)]
enum NoVariant {}
//~  ^^^^^^^^^

#[derive(Clone, Debug, Verdict)]
enum NotFirst {
    Yes,
    #[verdict(neutral)]
    Nothing,
//~ ^^^^^^^
}

#[derive(Clone, Debug, Verdict)]
enum Twice {
    #[verdict(neutral)]
    Nothing,
    #[verdict(neutral)]
    NothingElse,
//~ ^^^^^^^^^^^
}

#[derive(Clone, Debug, Verdict)]
enum HoldsSomething {
    #[verdict(neutral)]
    Nothing(u8),
//~        ^^^^
}

fn main() {}
