//! A program with 10,000 hooks.

include!(concat!(env!("OUT_DIR"), "/10000.rs"));

fn main() {
    bench_linked::run(10_000);
}
