//! Options of other systems. The message names the option of this SDK.
use hook_sdk::prelude::*;

#[hook(id = "matcher", kind = before_tool_call, matcher = "Bash")]
//~                                             ^^^^^^^
fn matcher() {}

#[hook(id = "tools", kind = before_tool_call, tools = ["Bash", "Edit"])]
//~                                           ^^^^^
fn tools() {}

#[hook(id = "order", kind = before_tool_call, order = 1)]
//~                                           ^^^^^
fn order() {}

#[hook(id = "stage", kind = before_tool_call, stage = -100)]
//~                                           ^^^^^
fn stage() {}

#[hook(id = "enforce", kind = before_tool_call, enforce = "pre")]
//~                                             ^^^^^^^
fn enforce() {}

#[hook(id = "first", kind = before_tool_call, tryfirst = true)]
//~                                           ^^^^^^^^
fn first() {}

#[hook(id = "on_error", kind = before_tool_call, on_error = deny)]
//~                                              ^^^^^^^^
fn on_error() {}

#[hook(id = "fail_closed", kind = before_tool_call, fail_closed)]
//~                                                 ^^^^^^^^^^^
fn fail_closed() {}

#[hook(id = "deadline", kind = before_tool_call, deadline = "2s")]
//~                                              ^^^^^^^^
async fn deadline() {}

#[hook(id = "depends_on", kind = before_tool_call, depends_on = ["redact_pii"])]
//~                                                ^^^^^^^^^^
fn depends_on() {}

#[hook(id = "described", kind = before_tool_call, description = "Masks.")]
//~                                               ^^^^^^^^^^^
fn described() {}

#[hook(id = "off", kind = before_tool_call, enabled = false)]
//~                                         ^^^^^^^
fn off() {}

#[hook(id = "waits", kind = before_tool_call, async)]
//~                                           ^^^^^
fn waits() {}

#[hook(id = "guarded", kind = before_tool_call, if = "x")]
//~                                             ^^
fn guarded() {}

#[hook(id = "explained", kind = before_tool_call, description = "Asks, where money moves")]
//~                                               ^^^^^^^^^^^
fn explained() {}

fn main() {}
