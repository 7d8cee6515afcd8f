//! The kind decides which failure policies are available. This includes kinds of the app.
use hook_sdk::prelude::*;

#[derive(HookKind)]
#[hook_kind(name = "before_shipping", subject = String)]
pub struct BeforeShipping;

#[hook(id = "remove", kind = before_tool_call, on_failure = remove)]
//~                                                         ^^^^^^
fn remove(_input: &mut ToolInput) {}

#[hook(id = "deny", kind = after_tool_call_success, on_failure = deny)]
//~                                                              ^^^^
fn deny() {}

#[hook(id = "deny_event", kind = after_create_message, on_failure = deny)]
//~                                                                 ^^^^
async fn deny_event() {}

#[hook(id = "deny_own", kind = BeforeShipping, on_failure = deny)]
//~                                                         ^^^^
fn deny_own() {}

#[hook(id = "remove_own", kind = BeforeShipping, on_failure = remove)]
//~                                                           ^^^^^^
fn remove_own() {}

#[hook(id = "one_of_two", kind = [before_tool_call, BeforeShipping], on_failure = deny)]
//~                                                                               ^^^^
fn one_of_two() {}

fn main() {}
