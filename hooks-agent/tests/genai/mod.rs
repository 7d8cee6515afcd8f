//! The client of models against a server of its own: what is sent, what comes back, what goes wrong.
#![cfg(feature = "genai")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

mod answers;
mod failures;
mod requests;
mod server;
mod turns;
