//! Rules that run, each test with commands that need no more than `sh`.

#![cfg(all(unix, feature = "runner"))]

mod commands;
mod folding;
mod installing;
mod kinds;
mod outside;
mod support;
mod trusting;
