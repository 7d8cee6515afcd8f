//! A verdict is one concrete enum or struct.
use hook_sdk::prelude::*;

#[derive(Clone, Debug, Verdict)]
struct OfType<T> {
//~           ^
    #[verdict(joined)]
    values: Vec<T>,
}

#[derive(Clone, Debug, Verdict)]
enum OfLifetime<'a> {
//~             ^^
    #[verdict(neutral)]
    Nothing,
    Said(&'a str),
}

#[derive(Clone, Copy, Verdict)]
pub union Either {
//~ ^^^^^
    a: u8,
    b: i8,
}

fn main() {}
