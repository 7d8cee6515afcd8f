//! The tests of the engine, one binary: linking it once per file would cost more than they do.
//!
//! Those whose binary declares something, or that watch the whole process, have one each; the manifest says why.

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
