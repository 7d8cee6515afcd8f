//! The tests need the program `nats-server`; they start servers of their own.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "the helpers of tests are tests too"
)]

mod server;
mod desk;
mod jobs;
mod killed;
mod points;
