//! The tests of the macros, in one binary. Tests that need their own crate root have one binary each.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the helpers of tests are tests too"
)]

mod common;
mod forms_kinds;
mod forms_parameters;
mod forms_run;
mod forms_subject;
mod forms_verdict;
mod forms_with;
mod messages;
mod quotas;
mod verdicts;
