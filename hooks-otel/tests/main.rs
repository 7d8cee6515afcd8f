//! What is emitted, by the SDK's exporters in memory.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

mod collector;
mod conventions;
mod dispatches;
mod metrics;
mod otlp;
mod silence;
mod turns;
