//! The tests of the turn loop, in one binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the helpers of tests are tests too"
)]

mod conformance;
mod world;
mod filled;
mod genai;
mod mcp;
mod mcp_http;
mod recorded;
mod rules;
mod turns;
