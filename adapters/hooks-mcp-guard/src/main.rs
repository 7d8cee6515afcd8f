//! The program `hooks-mcp-guard`. Everything is in the library, so that a program with hooks of its own is the same.

fn main() -> std::process::ExitCode {
    hooks_mcp_guard::main()
}
