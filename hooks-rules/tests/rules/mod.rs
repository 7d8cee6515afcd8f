//! Rules that run. The commands of the tests need only `sh`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]
#![cfg(all(unix, feature = "runner"))]

mod attribution;
mod audited;
mod cases;
mod commands;
mod explaining;
mod fired;
mod folding;
mod guards;
mod installing;
mod kinds;
mod locks;
mod plugins;
mod clients;
mod scripts;
mod support;
mod trusting;
