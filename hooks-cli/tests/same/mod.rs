//! The same rules by `hooks dispatch` and in a turn loop: scripts get the same bytes, and the same comes of what they say.
#![cfg(unix)]

mod bytes;
mod corners;
mod looped;
