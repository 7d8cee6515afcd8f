//! After the name, `plugin!` accepts a version.

hooks_core::plugin!("one", versoin = "1.0.0");
//~                        ^^^^^^^

hooks_core::plugin!("two", priority = 3);
//~                        ^^^^^^^^

hooks_core::plugin!("three", version = 1);
//~                                    ^

hooks_core::plugin!("four", version = "1", version = "2");
//~                                        ^^^^^^^

hooks_core::plugin!("five", version);
//~                         ^^^^^^^

fn main() {}
