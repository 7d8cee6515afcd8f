//! The tests of the engine. They share one binary, because each binary links the whole engine again.
//!
//! Tests that declare something for a whole binary, or that watch the whole process, have their own. The manifest says
//! why.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the helpers of tests are tests too"
)]

mod capabilities;
mod cases;
mod contributions;
mod kinds;
mod oracle;
mod promises;
mod silence;
mod testing;
