//! A program with 10,000 hooks.

/// Not in the root of the crate: each hook would get its own copy of all these names, with `use crate::*`.
mod hooks {
    include!(concat!(env!("OUT_DIR"), "/10000.rs"));
}

fn main() {
    bench_linked::run(10_000);
}
