//! The model client with a test server: requests, answers, errors.
#![cfg(feature = "genai")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

mod answers;
mod failures;
mod requests;
mod server;
mod turns;
