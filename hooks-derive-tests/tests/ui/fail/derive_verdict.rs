//! A verdict is a built-in type or a type of the app.
use hook_sdk::prelude::*;

#[derive(HookKind)]
#[hook_kind(name = "foreign", verdict = Vec<u8>)]
//~                                     ^^^
pub struct Foreign;

#[derive(HookKind)]
#[hook_kind(name = "number", subject = String, verdict = u8)]
//~                                                      ^^
pub struct Number;

#[derive(HookKind)]
#[hook_kind(name = "missing", verdict = Missing)]
//~                                     ^^^^^^^
pub struct NotThere;

fn main() {}
