//! Options apply to every kind in the list.
use hook_sdk::prelude::*;

#[hook(id = "filtered", kind = [before_tool_call, session_start], tool = "bash", source = "cli")]
//~                                                               ^^^^           ^^^^^^
fn filtered() {}

#[hook(id = "removed", kind = [after_tool_call_success, filter_messages], on_failure = remove)]
//~                                                                                    ^^^^^^
fn removed() {}

#[hook(id = "denied", kind = [before_compaction, stop, turn_end], on_failure = deny, trigger = "auto")]
//~                                                                            ^^^^  ^^^^^^^
//~                                                                            ^^^^  ^^^^^^^
fn denied() {}

fn main() {}
