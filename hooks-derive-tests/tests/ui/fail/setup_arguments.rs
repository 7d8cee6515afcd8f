//! `setup!` takes nothing.
hooks_core::setup!(strict);
//~                ^^^^^^

fn main() {}
