//! The name of a plugin is written as an id is.

hooks_core::plugin!("Acme");
//~                 ^^^^^^

hooks_core::plugin!("acme guards");
//~                 ^^^^^^^^^^^^^

hooks_core::plugin!("9");
//~                 ^^^

hooks_core::plugin!("self");
//~                 ^^^^^^

fn main() {}
