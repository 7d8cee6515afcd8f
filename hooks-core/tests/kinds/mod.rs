//! The built-in kinds: the macros know all of them, they reject invalid values, and they can be fired with JSON.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

mod blocks;
mod checks;
mod json;
mod minimal;
mod listed;
mod phases;
mod pool;
mod tool_results;
mod verdicts;
mod wire;
