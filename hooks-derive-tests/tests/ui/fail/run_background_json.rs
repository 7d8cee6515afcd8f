//! A background hook becomes a job in JSON, so its kind needs `json`.
use hook_sdk::prelude::*;

#[derive(Clone, HookKind)]
#[hook_kind(name = "seen")]
struct Seen {}

#[derive(Clone, HookKind)]
#[hook_kind(name = "heard", subject = String, verdict = Permission)]
struct Heard {}

#[hook(id = "one", kind = Seen, run = background)]
//~                                   ^^^^^^^^^^
fn one() {}

#[hook(id = "waits", kind = Heard, run = background, idempotent, retries = 2)]
//~                                      ^^^^^^^^^^
async fn waits(_text: &String) {}

#[hook(id = "one_of_two", kind = [after_create_message, Seen], run = background)]
//~                                                                  ^^^^^^^^^^
fn one_of_two() {}

fn main() {}
