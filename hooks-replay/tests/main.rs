//! The tests of recordings and replays, in one binary.

// A wrong test must fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod baselines;
#[cfg(feature = "agent")]
mod continued;
mod every_kind;
#[path = "../../hooks-core/tests/kinds/minimal.rs"]
mod minimal;
mod lines;
mod replays;
mod reports;
mod secrets;
mod shared;
mod support;
mod traffic;
#[cfg(feature = "agent")]
mod turns;
