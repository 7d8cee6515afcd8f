//! Many mistakes across a program, reported in one build.
use hook_sdk::prelude::*;

#[derive(HookKind)]
#[hook_kind(name = "before_refund", subject = Refund, verdict = Permission, match(region))]
pub struct BeforeRefund {
    pub region: String,
}

#[derive(Clone)]
pub struct Refund {
    pub cents: u64,
}

#[hook(id = "cap_refund", kind = BeforeRefund, country = "de", on_failure = remove)]
//~                                            ^^^^^^^                      ^^^^^^
fn cap_refund(_refund: &mut u64) -> Result<Permission, u64> {
//~                         ^^^     ^^^^^^^^^^^^^^^^^^^^^^^
    Ok(Permission::Allow)
}

#[hook(id = "count_refund", kind = BeforeRefund, region = "eu")]
async fn count_refund(refund: Refund) -> Refunds {
//~                                      ^^^^^^^
    refund
}

#[hook(id = "note_refund", kind = [BeforeRefund, turn_end])]
fn note_refund(_refund: &Refund) {}
//~                      ^^^^^^

fn main() {}
