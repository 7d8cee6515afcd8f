//! The tests of the desk, in one binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the helpers of tests are tests too"
)]

mod bad_lines;
mod chat;
mod masks;
mod picture;
mod program;
mod recorded;
#[cfg(feature = "replay")]
mod replayed;
mod sample;
mod scenes;
#[cfg(feature = "store")]
mod stored;
mod support;
mod trace;
mod turns;
