//! `setup!` takes no arguments.
hook_sdk::setup!(strict);
//~              ^^^^^^

fn main() {}
