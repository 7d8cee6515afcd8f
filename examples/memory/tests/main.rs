//! The tests of the memory, one binary.

mod hooks;
mod parts;
mod program;
mod support;
mod turns;
