//! Messages have their own type, `Messages`.
use hook_sdk::prelude::*;

#[hook(id = "vector", kind = filter_messages)]
fn vector(_messages: &mut Vec<Message>) {}
//~                       ^^^^^^^^^^^^

#[hook(id = "slice", kind = filter_messages)]
fn slice(_messages: &[Message]) {}
//~                  ^^^^^^^^^

#[hook(id = "owned", kind = filter_messages)]
fn owned(messages: Vec<Message>) -> Vec<Message> {
//~                ^^^^^^^^^^^^     ^^^^^^^^^^^^
    messages
}

#[hook(id = "one", kind = filter_messages)]
fn one(_message: &mut Message) {}
//~                   ^^^^^^^

fn main() {}
