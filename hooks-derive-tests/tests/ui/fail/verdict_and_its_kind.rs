//! A mistake in a verdict is reported once, not at its kind and hooks. Those are still checked.
use hook_sdk::prelude::*;

#[derive(Clone, Debug, Verdict)]
enum Review {
    #[verdict(neutral)]
    Nothing,
    #[verdict(finl)]
//~           ^^^^
    Look,
    #[verdict(deny)]
    Refuse,
}

#[derive(HookKind)]
#[hook_kind(name = "review", subject = String, verdict = Review)]
struct Reviewed;

#[hook(id = "right", kind = Reviewed, on_failure = deny)]
fn right() -> Review {
    Review::Look
}

#[hook(id = "wrong", kind = Reviewed)]
fn wrong() -> Permission {
//~           ^^^^^^^^^^
    Permission::Allow
}

fn main() {}
