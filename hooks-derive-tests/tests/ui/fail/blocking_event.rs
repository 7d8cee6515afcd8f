//! A blocking hook runs on another thread with its own copy of the event, so the event has to be `Clone`.
use hook_sdk::prelude::*;

#[derive(HookKind)]
#[hook_kind(name = "seen", subject = String)]
struct Seen {}

#[hook(id = "reads", kind = Seen, blocking)]
//~                               ^^^^^^^^
fn reads(_event: &Seen) {}

#[hook(id = "writes", kind = Seen, blocking, timeout = "2s", fallback = other)]
//~                                ^^^^^^^^
fn writes(_text: &mut String) {}

fn other(_text: &mut String) {}

fn main() {}
