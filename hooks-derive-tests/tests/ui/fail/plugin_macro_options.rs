//! After the name, `plugin!` accepts a version.

hook_sdk::plugin!("one", versoin = "1.0.0");
//~                      ^^^^^^^

hook_sdk::plugin!("two", priority = 3);
//~                      ^^^^^^^^

hook_sdk::plugin!("three", version = 1);
//~                                  ^

hook_sdk::plugin!("four", version = "1", version = "2");
//~                                      ^^^^^^^

hook_sdk::plugin!("five", version);
//~                       ^^^^^^^

fn main() {}
