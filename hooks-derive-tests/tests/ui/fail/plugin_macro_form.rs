//! The first argument of `plugin!` is the name, a string.

hook_sdk::plugin!(acme);
//~               ^^^^

hook_sdk::plugin!(3);
//~               ^

hook_sdk::plugin!(version = "1.0.0");
//~               ^^^^^^^^^^^^^^^^^

hook_sdk::plugin!["acme" "other"];
//~               ^^^^^^^^^^^^^^

fn main() {}
