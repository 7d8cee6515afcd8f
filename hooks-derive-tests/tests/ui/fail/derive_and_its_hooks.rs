//! What is wrong with a kind is told once, not at every hook of the kind; and hooks are checked against it all the same.
use hooks_core::prelude::*;

#[derive(HookKind)]
#[hook_kind(name = "BeforeRefund", subject = Vec<(u8, String)>, verdict = Permission, outside_trn)]
//~                ^^^^^^^^^^^^^^                                                     ^^^^^^^^^^^
pub struct BeforeRefund;

#[hook(id = "right", kind = BeforeRefund)]
fn right(_items: &mut Vec<(u8, String)>) -> Permission {
    Permission::allow()
}

#[hook(id = "wrong", kind = BeforeRefund)]
fn wrong(_items: &mut String) {}
//~                   ^^^^^^

fn main() {}
