//! The program; everything it does is in the library, so that tests can reach it.

use std::process::ExitCode;

use airline_desk::args::Args;
use clap::Parser;

fn main() -> ExitCode {
    airline_desk::run::main(&Args::parse())
}
