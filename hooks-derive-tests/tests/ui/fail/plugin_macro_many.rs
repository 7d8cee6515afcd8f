//! All mistakes in a plugin declaration are reported together.

hook_sdk::plugin!("Acme", version = 1, colour = "red", version = "2");
//~               ^^^^^^            ^  ^^^^^^          ^^^^^^^

fn main() {}
