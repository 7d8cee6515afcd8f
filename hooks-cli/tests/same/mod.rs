//! The same rules by `hooks dispatch` and in a turn loop: scripts get the same input, and their answers have the same
//! effect.
#![cfg(unix)]

mod bytes;
mod corners;
mod looped;
