//! The program. Everything is in the library, so that tests can use it.

use std::process::ExitCode;

use airline_desk::args::Args;
use clap::Parser;

fn main() -> ExitCode {
    airline_desk::run::main(&Args::parse())
}
