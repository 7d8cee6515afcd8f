//! Every filter field belongs to certain kinds, and is rejected at all others.
use hook_sdk::prelude::*;

#[hook(id = "by_call_site", kind = stop, call_site = "x")]
//~                                      ^^^^^^^^^
fn by_call_site() {}

#[hook(id = "by_channel", kind = stop, channel = "x")]
//~                                    ^^^^^^^
fn by_channel() {}

#[hook(id = "by_compaction", kind = before_tool_call, compaction = "x")]
//~                                                   ^^^^^^^^^^
fn by_compaction() {}

#[hook(id = "by_delivery", kind = message_received, delivery = "x")]
//~                                                 ^^^^^^^^
fn by_delivery() {}

#[hook(id = "by_failure", kind = pre_model_call, failure = "x")]
//~                                              ^^^^^^^
fn by_failure() {}

#[hook(id = "by_injection_mode", kind = before_compaction, injection_mode = "x")]
//~                                                        ^^^^^^^^^^^^^^
fn by_injection_mode() {}

#[hook(id = "by_model", kind = before_tool_call, model = "x")]
//~                                              ^^^^^
fn by_model() {}

#[hook(id = "by_profile", kind = pre_model_call, profile = "x")]
//~                                              ^^^^^^^
fn by_profile() {}

#[hook(id = "by_reason", kind = session_start, reason = "x")]
//~                                            ^^^^^^
fn by_reason() {}

#[hook(id = "by_recipient", kind = message_received, recipient = "x")]
//~                                                  ^^^^^^^^^
fn by_recipient() {}

#[hook(id = "by_role", kind = before_create_message, role = "x")]
//~                                                  ^^^^
fn by_role() {}

#[hook(id = "by_sender", kind = message_sent, sender = "x")]
//~                                           ^^^^^^
fn by_sender() {}

#[hook(id = "by_source", kind = session_end, source = "x")]
//~                                          ^^^^^^
fn by_source() {}

#[hook(id = "by_stop_reason", kind = pre_model_call, stop_reason = "x")]
//~                                                  ^^^^^^^^^^^
fn by_stop_reason() {}

#[hook(id = "by_tool", kind = turn_end, tool = "x")]
//~                                     ^^^^
fn by_tool() {}

#[hook(id = "by_trigger", kind = post_turn, trigger = "x")]
//~                                         ^^^^^^^
fn by_trigger() {}

fn main() {}
