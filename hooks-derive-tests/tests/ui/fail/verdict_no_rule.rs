//! Every field of a struct needs a merge rule.
use hook_sdk::prelude::*;

#[derive(Clone, Debug, Verdict)]
struct Named {
    model: Option<String>,
//~ ^^^^^
    #[verdict(joined)]
    contexts: Vec<String>,
    r#type: Option<String>,
//~ ^^^^^^
}

#[derive(Clone, Debug, Verdict)]
struct Unnamed(Option<u8>);
//~            ^^^^^^^^^^

fn main() {}
