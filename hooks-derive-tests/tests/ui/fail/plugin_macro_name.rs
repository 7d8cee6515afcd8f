//! The name of a plugin has the same form as an id.

hook_sdk::plugin!("Acme");
//~               ^^^^^^

hook_sdk::plugin!("acme guards");
//~               ^^^^^^^^^^^^^

hook_sdk::plugin!("9");
//~               ^^^

hook_sdk::plugin!("self");
//~               ^^^^^^

fn main() {}
