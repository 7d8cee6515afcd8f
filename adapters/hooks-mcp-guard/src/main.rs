//! The program `hooks-mcp-guard`. Everything is in the library, so that a program with hooks of its own is the same.

#[cfg(feature = "prebuilt")]
use hooks_prebuilt as _;

fn main() -> std::process::ExitCode {
    hooks_mcp_guard::main()
}
