//! A program with 100 hooks.

include!(concat!(env!("OUT_DIR"), "/100.rs"));

fn main() {
    bench_linked::run(100);
}
