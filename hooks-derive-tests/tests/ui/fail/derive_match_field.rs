//! A filter field has to be a text in the event.
use hook_sdk::prelude::*;

#[derive(HookKind)]
#[hook_kind(name = "misspelt", match(tol))]
//~                                  ^^^
pub struct Misspelt {
    pub tool: String,
}

#[derive(HookKind)]
#[hook_kind(name = "nested", match(tool = call.nam))]
//~                                            ^^^
pub struct Nested {
    pub call: Call,
}

pub struct Call {
    pub name: String,
}

#[derive(HookKind)]
#[hook_kind(name = "number", match(count))]
//~                                ^^^^^
pub struct Number {
    pub count: u64,
}

fn main() {}
