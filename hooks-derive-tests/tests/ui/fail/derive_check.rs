//! The `check` function of a kind.
use hook_sdk::prelude::*;

fn too_few(_subject: &String) -> Result<(), hook_sdk::Violation> {
    Ok(())
}

#[derive(HookKind)]
#[hook_kind(name = "too_few", subject = String, check = too_few)]
//~                                                     ^^^^^^^
pub struct TooFew;

#[derive(HookKind)]
#[hook_kind(name = "not_there", subject = String, check = not_there)]
//~                                                       ^^^^^^^^^
pub struct Misspelt;

fn main() {}
