//! The program; everything it does is in the library, so that an app can offer the same.

use std::process::ExitCode;

fn main() -> ExitCode {
    hooks_cli::Program::new().main()
}
