//! `json` requires the serde traits for event, subject and verdict.
use hook_sdk::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone)]
pub struct Refund;

#[derive(Clone, Debug, Verdict)]
pub enum Review {
    #[verdict(neutral)]
    Nothing,
}

#[derive(HookKind)]
#[hook_kind(name = "no_serde", subject = Refund, verdict = Review, json)]
//~                                      ^^^^^^            ^^^^^^  ^^^^
pub struct NoSerde;

#[derive(Serialize, HookKind)]
#[hook_kind(name = "only_written", json)]
//~                                ^^^^
pub struct OnlyWritten;

#[derive(Serialize, Deserialize, HookKind)]
#[hook_kind(name = "right", subject = String, verdict = Permission, json)]
pub struct Right;

#[hook(id = "beside", kind = NoSerde)]
fn beside(_refund: &mut Refund) -> Review {
    Review::Nothing
}

fn main() {}
