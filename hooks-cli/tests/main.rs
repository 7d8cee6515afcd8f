//! The tests of the program, in one binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the helpers of tests are tests too"
)]

mod app;
mod book;
mod broken;
mod discovery;
mod hosts;
mod interrupted;
mod outputs;
mod pages;
mod payloads;
mod replays;
mod robust;
/// The same rules by `hooks dispatch` and in a turn loop: scripts get the same input, and their answers have the same
/// effect.
#[cfg(unix)]
mod same {
    mod bytes;
    mod corners;
    mod looped;
}
mod sentences;
mod scripts;
#[cfg(feature = "store")]
mod stored;
mod support;
mod standings;
mod trust;
