//! A program with 1,000 hooks.

/// Not in the root of the crate: each hook would get its own copy of all these names, with `use crate::*`.
mod hooks {
    include!(concat!(env!("OUT_DIR"), "/1000.rs"));
}

fn main() {
    bench_linked::run(1_000);
}
