//! The tests of rules, in one binary. `faults` is a binary of its own.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the helpers of tests are tests too"
)]

mod answers;
mod contract;
mod corpus;
mod files;
mod filters;
mod matchers;
mod rules;
mod schema;
mod shell;
mod stdin;
mod support;
