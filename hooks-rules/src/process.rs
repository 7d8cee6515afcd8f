//! Runs a command in its own session, and ends it with all its processes.

mod background;
mod capture;
mod command;
mod environment;
mod tree;

pub(crate) use background::Background;
pub(crate) use command::{ProcessOutput, command, run};
pub(crate) use environment::{CommandContext, Environment};
