//! Combinations of options that a kind cannot have.
use hook_sdk::prelude::*;

#[derive(HookKind)]
#[hook_kind(name = "no_subject", removable, check = rule, match(missing))]
//~                              ^^^^^^^^^                      ^^^^^^^
pub struct NoSubject;

#[derive(HookKind)]
#[hook_kind(name = "twice", json, json, outside_turn, outside_turn = true, on_failure = deny)]
//~                         ^^^^  ^^^^                ^^^^^^^^^^^^                      ^^^^
pub struct Twice;

#[derive(HookKind)]
#[hook_kind(name = "answers", verdict = bool, removable, match(priority), subject = Answers)]
//~                                                            ^^^^^^^^             ^^^^^^^
pub struct Answers;

fn main() {}
