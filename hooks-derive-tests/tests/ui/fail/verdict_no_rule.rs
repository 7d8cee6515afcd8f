//! Every field of a struct says how two of it are merged.
use hooks_core::prelude::*;

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
