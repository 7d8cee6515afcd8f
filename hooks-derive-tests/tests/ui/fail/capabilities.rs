//! Each capability has to exist, appear once, and be offered by the kind.
use hook_sdk::prelude::*;

#[derive(HookKind)]
#[hook_kind(name = "before_refund", subject = String, verdict = Permission)]
struct BeforeRefund;

#[hook(id = "unknown", kind = pre_policy, capabilities = [polcy, "audit", lunch, policy, audit, policy])]
//~                                                       ^^^^^  ^^^^^^^  ^^^^^                 ^^^^^^
fn unknown() {}

#[hook(id = "no_list", kind = pre_policy, capabilities = policy)]
//~                                                      ^^^^^^
fn no_list() {}

#[hook(id = "flag", kind = pre_policy, capabilities)]
//~                                    ^^^^^^^^^^^^
fn flag() {}

#[hook(id = "no_contribution", kind = before_tool_call, capabilities = [policy, audit])]
//~                                                     ^^^^^^^^^^^^
fn no_contribution() {}

#[hook(id = "own_kind", kind = BeforeRefund, capabilities = [])]
//~                                          ^^^^^^^^^^^^
fn own_kind() {}

#[hook(id = "not_offered", kind = session_start, capabilities = [prompt_context, policy])]
//~                                                                              ^^^^^^
fn not_offered() {}

#[hook(id = "one_of_two", kind = [pre_policy, before_agent_start], capabilities = [tool_bundle])]
//~                                                                                ^^^^^^^^^^^
fn one_of_two() {}

fn main() {}
