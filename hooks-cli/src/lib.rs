//! The program `hooks`: checks, lists, explains, runs and replays rule files, and inspects the compiled hooks of an app.
//!
//! ```sh
//! hooks check .claude/settings.json                                # every defect; the exit status for CI
//! hooks explain --event PreToolUse --tool Bash hooks.json          # why does my hook not run?
//! echo '{"tool_name": "Bash"}' | hooks dispatch --event PreToolUse --trust hooks.json
//! ```
//!
//! What each command prints and the exit statuses are in the chapter `docs/command-line.md`.
//!
#![doc = include_str!("../DISPATCH.md")]
//!
//! # In an app
//!
//! The program itself has no compiled hooks. An app can offer the same commands for its own hooks: [`Cli`] is a parser
//! and a subcommand, and [`Program`] contains the hooks of the app.
//!
//! ```
//! use clap::Parser;
//! use hooks_cli::{Cli, Program};
//! use hook_sdk::kinds::*;
//! use hook_sdk::prelude::*;
//!
//! #[derive(Parser)]
//! enum Desk {
//!     /// Serves the desk.
//!     Serve,
//!     /// Inspects the hooks.
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
//!     let output = program.output(&cli);
//!     assert!(output.out.contains("trim"));
//! }
//! # Ok(())
//! # }
//! ```

mod exit;
mod event_name;
mod style;
mod paths;
mod args;
mod output;
mod diagnostics;
mod confidence;
mod discover;
mod wait;
#[cfg(feature = "store")]
mod store;
mod program;
mod inputs;
mod reference;
mod ci_formats;
mod check;
mod list;
mod overview;
mod doctor;
mod explain;
mod rules_of_host;
mod dispatch;
mod replay;
mod report;
mod export;
#[cfg(feature = "inspect")]
mod inspect;
mod host;
mod trust;
mod commands;

#[cfg(feature = "inspect")]
pub use args::InspectArgs;
#[cfg(feature = "turns")]
pub use args::Turns;
#[cfg(feature = "store")]
pub use args::{
    AnswerArgs, AnswerWord, CleanArgs, ConversationsArgs, DispatchesArgs, IdsArgs, ImportArgs, MigrateArgs, PutOffArgs,
    RetryArgs, RunsArgs, StoreArgs, StoreCommand, StoreExportArgs,
};
pub use args::{
    CheckArgs, Cli, Color, Command, DispatchArgs, ExplainArgs, ExportArgs, FilesArgs, Form, Format, HostArgs, ListArgs,
    ReplayArgs, ReportArgs, SchemaArgs, ShadowArgs, TrustArgs,
};
pub use exit::Exit;
pub use output::Output;
pub use program::Program;
