//! Tests of the hosts.

mod golden;
mod matrix;
mod process;
