//! The name that `plugin!` takes is a string, and stands first.

hooks_core::plugin!(acme);
//~                 ^^^^

hooks_core::plugin!(3);
//~                 ^

hooks_core::plugin!(version = "1.0.0");
//~                 ^^^^^^^^^^^^^^^^^

hooks_core::plugin!["acme" "other"];
//~                 ^^^^^^^^^^^^^^

fn main() {}
