//! The trait bounds of a subject.
use hook_sdk::prelude::*;

pub struct NotClone;

#[derive(HookKind)]
#[hook_kind(name = "no_clone", subject = NotClone)]
//~                                      ^^^^^^^^
pub struct Event;

#[derive(HookKind)]
#[hook_kind(name = "no_send", subject = std::rc::Rc<u8>)]
//~                                              ^^
//~                                              ^^
pub struct NoSend;

fn main() {}
