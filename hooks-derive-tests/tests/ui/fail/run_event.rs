//! A detached hook has its own event, so the event has to be `Clone`.
use hook_sdk::prelude::*;

#[derive(HookKind)]
#[hook_kind(name = "seen", subject = String)]
struct Seen {}

#[hook(id = "plain", kind = Seen, run = detached)]
//~                                     ^^^^^^^^
fn plain() {}

#[hook(id = "waits", kind = Seen, run = detached)]
//~                                     ^^^^^^^^
async fn waits(_event: &Seen, _text: &String) {}

#[hook(id = "one_of_two", kind = [Seen, after_create_message], run = detached)]
//~                                                                  ^^^^^^^^
fn one_of_two() {}

#[hook(id = "no_kind", kind = Nothing, run = detached)]
//~                           ^^^^^^^
fn no_kind(_event: &Nothing) {}

struct Nothing;

fn main() {}
