//! Merge rules that do not fit the type of their field, reported at the type.
use hook_sdk::prelude::*;

#[derive(Clone, Debug, Verdict)]
struct Answer {
    #[verdict(first)]
    number: u32,
//~         ^^^
    #[verdict(joined)]
    joined: Option<u32>,
//~         ^^^^^^
    #[verdict(intersected)]
    allowed: Vec<String>,
//~          ^^^
    #[verdict(any)]
    any: u8,
//~      ^^
    #[verdict(max)]
    most: f64,
//~       ^^^
    #[verdict(nested)]
    nested: Vec<u8>,
//~         ^^^
    #[verdict(by)]
    by: String,
//~     ^^^^^^
}

#[derive(Clone, Debug, Verdict)]
enum Variants {
    #[verdict(neutral)]
    Nothing,
    Look(#[verdict(joined)] u8, #[verdict(by)] String),
//~                         ^^                 ^^^^^^
}

fn main() {}
