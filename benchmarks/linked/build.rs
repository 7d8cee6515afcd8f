//! Writes the hooks of each program: as many lines as it links.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let place = env::var("OUT_DIR").expect("cargo says where to write");
    for count in [100, 1_000, 10_000] {
        let mut hooks = String::new();
        for number in 0..count {
            writeln!(hooks, "bench_linked::hook!({number}, \"hook_{number}\");").expect("a string takes it");
        }
        fs::write(Path::new(&place).join(format!("{count}.rs")), hooks).expect("the place can be written to");
    }
}
