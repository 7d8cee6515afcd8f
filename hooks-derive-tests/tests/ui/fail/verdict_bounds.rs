//! The trait bounds of a verdict.
use std::rc::Rc;

use hook_sdk::prelude::*;

#[derive(Debug, Verdict)]
enum NotClone {
//~  ^^^^^^^^
    #[verdict(neutral)]
    Nothing,
}

#[derive(Clone, Verdict)]
struct NotDebug {
//~    ^^^^^^^^
    #[verdict(first)]
    model: Option<String>,
}

#[derive(Clone, Debug, Verdict)]
struct NotSend {
//~    ^^^^^^^
    #[verdict(joined)]
    texts: Vec<Rc<str>>,
}

fn main() {}
