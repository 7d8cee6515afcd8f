//! A mistake in a kind is reported once, not at every hook of the kind. The hooks are still checked.
use hook_sdk::prelude::*;

#[derive(HookKind)]
#[hook_kind(name = "BeforeRefund", subject = Vec<(u8, String)>, verdict = Permission, outside_trn)]
//~                ^^^^^^^^^^^^^^                                                     ^^^^^^^^^^^
pub struct BeforeRefund;

#[hook(id = "right", kind = BeforeRefund)]
fn right(_items: &mut Vec<(u8, String)>) -> Permission {
    Permission::Allow
}

#[hook(id = "wrong", kind = BeforeRefund)]
fn wrong(_items: &mut String) {}
//~                   ^^^^^^

fn main() {}
