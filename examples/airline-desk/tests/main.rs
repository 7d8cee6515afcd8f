//! The tests of the desk, one binary.

mod bad_lines;
mod chat;
mod masks;
mod program;
mod recorded;
mod sample;
mod scenes;
mod support;
mod trace;
mod turns;
