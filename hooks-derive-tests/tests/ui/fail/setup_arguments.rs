//! `setup!` takes no arguments.
hooks_core::setup!(strict);
//~                ^^^^^^

fn main() {}
