//! The name of a kind is used in records and files.
use hook_sdk::prelude::*;

#[derive(HookKind)]
#[hook_kind(name = "before-refund")]
//~                ^^^^^^^^^^^^^^^
pub struct Kebab;

#[derive(HookKind)]
#[hook_kind(name = "")]
//~                ^^
pub struct Empty;

#[derive(HookKind)]
#[hook_kind(name)]
//~         ^^^^
pub struct Flag;

#[derive(HookKind)]
#[hook_kind(name = "first", name = "second")]
//~                         ^^^^
pub struct Twice;

#[derive(HookKind)]
#[hook_kind(name = NAME)]
//~                ^^^^
pub struct Constant;

fn main() {}
