//! The program `hooks`. Everything is in the library, so that an app can offer the same commands.

use std::process::ExitCode;

use hooks_cli::Program;

#[cfg(feature = "prebuilt")]
fn main() -> Result<ExitCode, hook_sdk::ConfigError> {
    use hooks_prebuilt as _;

    let linked = hook_sdk::Registry::discover()?;
    Ok(Program::new().library(linked.hooks()).main())
}

#[cfg(not(feature = "prebuilt"))]
fn main() -> ExitCode {
    Program::new().main()
}
