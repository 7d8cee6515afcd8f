//! The name of a plugin has the same form as an id.

hooks_core::plugin!("Acme");
//~                 ^^^^^^

hooks_core::plugin!("acme guards");
//~                 ^^^^^^^^^^^^^

hooks_core::plugin!("9");
//~                 ^^^

hooks_core::plugin!("self");
//~                 ^^^^^^

fn main() {}
