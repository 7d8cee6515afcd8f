//! A type that belongs to a kind, such as its verdict, is not a kind.
use hook_sdk::prelude::*;

#[hook(id = "subject", kind = ToolInput)]
//~                           ^^^^^^^^^
fn subject() {}

#[hook(id = "verdict", kind = Permission)]
//~                           ^^^^^^^^^^
fn verdict(_input: &ToolInput) {}

#[hook(id = "standard", kind = String)]
//~                            ^^^^^^
fn standard(_text: &mut String) {}

enum Kinds {
    Own,
}

#[hook(id = "variant", kind = Kinds::Own)]
//~                           ^^^^^^^^^^
fn variant() {}

fn main() {}
