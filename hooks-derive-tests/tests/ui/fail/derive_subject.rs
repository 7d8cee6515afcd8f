//! The subject differs from the event type, and is `Clone`.
use hook_sdk::prelude::*;

#[derive(Clone, HookKind)]
#[hook_kind(name = "of_itself", subject = Self)]
//~                                       ^^^^
struct OfItself;

#[derive(Clone, HookKind)]
#[hook_kind(name = "of_its_name", subject = OfItsName)]
//~                                         ^^^^^^^^^
struct OfItsName;

fn main() {}
