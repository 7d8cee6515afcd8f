//! The program between a client and a server.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "the helpers of tests are tests too")]

mod peer;

mod attacks;
mod carried;
mod files;
