//! Everything wrong with a declaration is told at once.

hooks_core::plugin!("Acme", version = 1, colour = "red", version = "2");
//~                 ^^^^^^            ^  ^^^^^^          ^^^^^^^

fn main() {}
