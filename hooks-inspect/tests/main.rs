//! What the page holds, and what a browser makes of it.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests")]

mod browser;
#[cfg_attr(not(feature = "store"), allow(dead_code, reason = "for the live page"))]
mod driver;
mod file;
#[cfg(feature = "store")]
mod live;
#[cfg(feature = "server")]
mod server;
#[cfg(feature = "store")]
mod stored;
