//! The tests of the book, in one binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the helpers of tests are tests too"
)]

mod chapters;
mod folders;
mod layers;
mod written;
