//! A new crate with guards, and their tests with what hosts send.

use std::fs;
use std::io;
use std::path::Path;

const CARGO: &str = r#"[package]
name = "$NAME"
version = "0.1.0"
edition = "2024"

[dependencies]
hook-sdk = $SDK
hooks-hosts = $HOSTS
serde = { version = "1", features = ["derive"] }

# The program starts at every call of a tool, so it is small. Keep `panic = "unwind"`: a hook that panics denies then.
[profile.release]
codegen-units = 1
lto = true
opt-level = "z"
strip = true
"#;

const MAIN: &str = r"//! Guards for agent programs. `$NAME install claude` names them in the settings of Claude Code.

mod guards;

fn main() -> std::process::ExitCode {
    hooks_hosts::main()
}
";

/// A file of its own, so that the tests of this crate run what it writes.
const GUARDS: &str = include_str!("scaffold/guards.rs");

/// Writes a crate with three guards and their tests. `sdk` is the folder of this project, or `None` for the registry.
///
/// # Errors
/// The folder exists, or cannot be written.
pub fn scaffold(folder: &Path, sdk: Option<&Path>) -> io::Result<()> {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || !name.chars().all(is_name) || !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("`{name}` is no name for a crate")));
    }
    let from = |crate_folder: &str| match sdk {
        Some(sdk) => format!("{{ path = {} }}", serde_json::Value::from(sdk.join(crate_folder).to_string_lossy())),
        None => serde_json::Value::from(env!("CARGO_PKG_VERSION")).to_string(),
    };
    fs::create_dir(folder)?;
    fs::create_dir(folder.join("src"))?;
    let manifest = CARGO.replace("$SDK", &from("hooks-core")).replace("$HOSTS", &from("hooks-hosts"));
    fs::write(folder.join("Cargo.toml"), manifest.replace("$NAME", &name))?;
    fs::write(folder.join("src/main.rs"), MAIN.replace("$NAME", &name))?;
    fs::write(folder.join("src/guards.rs"), GUARDS)
}
