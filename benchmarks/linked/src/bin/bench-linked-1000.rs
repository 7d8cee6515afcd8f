//! A program with 1,000 hooks.

include!(concat!(env!("OUT_DIR"), "/1000.rs"));

fn main() {
    bench_linked::run(1_000);
}
