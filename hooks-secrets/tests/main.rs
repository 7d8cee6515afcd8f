//! Tests of the scanner: how many planted secrets it finds, and how often it is wrong about ordinary text.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests say what they expect by unwrapping")]

mod ordinary;
mod planted;
mod texts;
