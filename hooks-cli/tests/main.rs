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
mod same;
mod sentences;
mod scripts;
#[cfg(feature = "store")]
mod stored;
mod support;
mod standings;
mod trust;
