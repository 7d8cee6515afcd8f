//! Tests of the hosts.

mod golden;
mod install;
mod matrix;
mod process;
