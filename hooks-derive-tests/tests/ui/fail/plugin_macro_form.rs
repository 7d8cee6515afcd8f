//! The first argument of `plugin!` is the name, a string.

hooks_core::plugin!(acme);
//~                 ^^^^

hooks_core::plugin!(3);
//~                 ^

hooks_core::plugin!(version = "1.0.0");
//~                 ^^^^^^^^^^^^^^^^^

hooks_core::plugin!["acme" "other"];
//~                 ^^^^^^^^^^^^^^

fn main() {}
