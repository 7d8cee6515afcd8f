//! Writes the hooks of each program: as many functions as it links.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let place = env::var("OUT_DIR").expect("cargo says where to write");
    for count in [100, 1_000, 10_000] {
        // Not in the root of the crate: the `use crate::*` of each hook copies the names there: over 24 GB for 10,000 hooks.
        let mut hooks = String::from("mod hooks {\n");
        for number in 0..count {
            write!(
                hooks,
                "/// Reads the result.\n\
                 #[hook_sdk::hook(id = \"hook_{number}\", kind = after_tool_call_success)]\n\
                 fn hook_{number}(result: &hook_sdk::data::ToolResult) {{\n    std::hint::black_box(result);\n}}\n\n"
            )
            .expect("a string takes it");
        }
        hooks.push_str("}\n");
        fs::write(Path::new(&place).join(format!("{count}.rs")), hooks).expect("the place can be written to");
    }
}
