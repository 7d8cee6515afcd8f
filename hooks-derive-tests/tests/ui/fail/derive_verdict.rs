//! A verdict is built in or the app's own.
use hooks_core::prelude::*;

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
