//! A `cfg_attr` whose condition is true does not hide a mistake.
use hook_sdk::prelude::*;

#[cfg_attr(all(), hook(id = "Conditional", kind = before_tool_call))]
//~                         ^^^^^^^^^^^^^
fn conditional() {}

#[cfg(all())]
#[hook(id = "configured", kind = before_tool_call)]
#[must_use]
fn configured(_count: &u8) -> u8 {
//~                    ^^     ^^
    7
}

fn main() {}
