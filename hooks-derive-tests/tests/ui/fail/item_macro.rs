//! A macro call is not a function.
#![allow(unused_imports)]

use hook_sdk::prelude::*;

macro_rules! guard {
    () => {
        fn guard() {}
    };
}

mod hooks {
    use super::*;

    #[hook(id = "of_macro", kind = before_tool_call)]
    guard!();
//~ ^^^^^

    #[hook(id = "import", kind = before_tool_call)]
    pub use std::vec::Vec;
//~     ^^^
}

fn main() {}
