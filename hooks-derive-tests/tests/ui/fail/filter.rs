//! A hook can filter only by fields that its kind declares.
use hook_sdk::prelude::*;

#[derive(HookKind)]
#[hook_kind(name = "before_refund", match(region, agent))]
pub struct BeforeRefund {
    pub region: String,
    pub agent: String,
}

#[hook(id = "unknown", kind = before_tool_call, tol = "cancel_*")]
//~                                             ^^^
fn unknown() {}

#[hook(id = "none", kind = filter_messages, tool = "cancel_*")]
//~                                         ^^^^
fn none() {}

#[hook(id = "own", kind = BeforeRefund, region = "eu", country = "de")]
//~                                                    ^^^^^^^
fn own() {}

#[hook(id = "keyword", kind = BeforeRefund, type = "x")]
//~                                         ^^^^
fn keyword() {}

#[hook(id = "one_of_two", kind = [before_tool_call, BeforeRefund], tool = "x")]
//~                                                                ^^^^
fn one_of_two() {}

fn main() {}
