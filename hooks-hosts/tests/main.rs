//! Tests of the hosts.
#![allow(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests are tests too")]

mod attacks;
mod cases;
mod contract;
mod generated;
mod golden;
mod install;
mod matrix;
mod others;
mod process;
mod program;
mod properties;
mod rules;
#[path = "../src/scaffold/guards.rs"]
mod scaffolded;
