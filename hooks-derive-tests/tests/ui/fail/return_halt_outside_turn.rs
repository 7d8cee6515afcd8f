//! At a kind outside a turn, there is no turn to halt.
use hook_sdk::prelude::*;

#[derive(HookKind)]
#[hook_kind(name = "app_started", subject = String, outside_turn)]
pub struct AppStarted;

#[hook(id = "in_place_of_verdict", kind = AppStarted)]
fn in_place_of_verdict() -> Halt {
//~                         ^^^^
    Halt::new("no")
}

#[hook(id = "beside_subject", kind = AppStarted)]
fn beside_subject(subject: String) -> (String, Halt) {
//~                                   ^^^^^^^^^^^^^^
    (subject, Halt::new("no"))
}

fn main() {}
