//! What serde lacks is told at `json`.
use hooks_core::prelude::*;

#[derive(HookKind)]
#[hook_kind(name = "event", json)]
//~                         ^^^^
pub struct Event {
    pub region: String,
}

#[derive(Clone)]
pub struct Refund;

#[derive(serde::Serialize, serde::Deserialize, HookKind)]
#[hook_kind(name = "subject", subject = Refund, json)]
//~                                             ^^^^
pub struct OfSubject {
    pub region: String,
}

fn main() {}
