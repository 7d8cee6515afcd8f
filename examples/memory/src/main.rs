//! The program. Everything is in the library, so that tests can use it.

use std::process::ExitCode;

use clap::Parser;
use memory::args::Args;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    memory::run::main(&Args::parse()).await
}
