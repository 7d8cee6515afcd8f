//! The subject is another type than the event, and one that can be cloned.
use hooks_core::prelude::*;

#[derive(Clone, HookKind)]
#[hook_kind(name = "of_itself", subject = Self)]
//~                                       ^^^^
struct OfItself;

#[derive(Clone, HookKind)]
#[hook_kind(name = "of_its_name", subject = OfItsName)]
//~                                         ^^^^^^^^^
struct OfItsName;

fn main() {}
