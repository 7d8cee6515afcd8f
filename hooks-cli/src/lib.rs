//! The program `hooks`: checks, lists, explains and tries files of rules, and tells of the compiled hooks of an app.
//!
//! ```sh
//! hooks check .claude/settings.json                                # every defect; the exit status for CI
//! hooks explain --event PreToolUse --tool Bash hooks.json          # why does my hook not run?
//! echo '{"tool_name": "Bash"}' | hooks dispatch --event PreToolUse --trust hooks.json
//! ```
//!
//! What each command prints, the form of `--json` and the exit statuses are in the chapter `docs/command-line.md`.
//!
//! # In an app
//!
//! The program knows no compiled hooks. An app that has some offers the same commands on them: [`Cli`] is a parser and a
//! subcommand, [`Program`] is what it is asked about.
//!
//! ```
//! use clap::Parser;
//! use hooks_cli::{Cli, Program};
//! use hooks_core::prelude::*;
//!
//! #[derive(Parser)]
//! enum Desk {
//!     /// Serves the desk.
//!     Serve,
//!     /// What hooks there are, and why one does not run.
//!     Hooks(Cli),
//! }
//!
//! # fn main() -> Result<(), ConfigError> {
//! let registry = Registry::empty();
//! registry.register(Hook::at::<BeforeCreateMessage>("trim").writer(|_, _, _| ()).description("Trims."))?;
//! let agent = AgentDef::from_json("agent.json", r#"{"name": "clerk", "hooks": ["trim"]}"#).unwrap();
//! let program = Program::of(&registry).scope(&agent, None)?;
//!
//! if let Desk::Hooks(cli) = Desk::parse_from(["desk", "hooks", "list"]) {
//!     let reply = program.reply(&cli);
//!     assert!(reply.out.contains("trim"));
//! }
//! # Ok(())
//! # }
//! ```

mod about;
mod args;
mod check;
mod dispatch;
mod exit;
mod explain;
mod files;
mod list;
mod paint;
mod program;
mod reply;
mod told;
mod trust;
mod wait;

pub use args::{Check, Cli, Color, Command, Dispatch, Explain, Files, Form, List, Schema, Trust};
pub use exit::Exit;
pub use program::Program;
pub use reply::Reply;
