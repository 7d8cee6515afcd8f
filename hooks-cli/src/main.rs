//! The program `hooks`. Everything is in the library, so that an app can offer the same commands.

use std::process::ExitCode;

fn main() -> ExitCode {
    hooks_cli::Program::new().main()
}
