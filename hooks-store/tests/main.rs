//! The tests of the store, on SQLite, and on Postgres if `HOOKS_POSTGRES` contains the URL of a server.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests say what they expect by unwrapping"
)]

mod bad_days;
#[cfg(target_os = "linux")]
mod clock;
mod contract;
mod crashed;
mod damaged;
mod dispatches;
mod exports;
mod jobs;
mod killed;
mod leases;
mod questions;
mod recovers;
mod secrets;
mod support;
mod transcripts;
mod workers;
#[path = "fixtures/writes.rs"]
mod writes;
mod databases;
