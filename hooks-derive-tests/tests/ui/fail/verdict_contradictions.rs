//! Contradictory words in a verdict.
use hook_sdk::prelude::*;

#[derive(Clone, Debug, Verdict)]
enum Review {
    #[verdict(neutral, final)]
//~                    ^^^^^
    Nothing,
    #[verdict(lapses, freezes)]
//~                   ^^^^^^^
    Pass,
    #[verdict(final, lapses)]
//~                  ^^^^^^
    Stop,
}

#[derive(Clone, Debug, Verdict)]
#[verdict(contribute)]
//~       ^^^^^^^^^^
enum Refusing {
    #[verdict(neutral)]
    Nothing,
    #[verdict(deny)]
    Refuse,
}

#[derive(Clone, Debug, Verdict)]
struct Fields {
    #[verdict(first, last)]
//~                  ^^^^
    both: Option<u8>,
    #[verdict(by, final)]
//~               ^^^^^
    by: Option<hook_sdk::HookId>,
}

fn main() {}
