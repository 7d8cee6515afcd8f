//! Typed hooks that answer other agent programs: Claude Code, Codex, Copilot CLI, VS Code, Gemini CLI, Antigravity,
//! Cursor, Windsurf, Kiro, Qwen Code, Droid, goose and Cline.
//!
//! A *host* calls a command at each tool call, and tells it about the call as JSON. This crate reads the payload of any of them
//! ([`read`]) into one [`HostEvent`], fires the kind that it stands for ([`fire()`]), and puts the verdict into the host's
//! words ([`written`]). A [`Responder`] does all three, and [`main`] makes a program of them:
//!
//! ```no_run
//! fn main() -> std::process::ExitCode {
//!     hooks_hosts::main()
//! }
//! ```
//!
//! # Guarantees
//!
//! - What a host cannot carry becomes an answer that is never weaker, or a warning: see [`Carried`].
//! - A hook that panics, is late or cannot be loaded, and a payload that cannot be read, are refusals in the host's words.
//! - A tool and its arguments have one name at every host. A call that does several things is judged for each.
//! - Exactly one answer leaves the program, whatever its hooks print.
//!
#![doc = include_str!("../TABLES.md")]

// The layers. A module uses the modules above it, never those below it.
mod json;
mod table;
mod event;
mod patch;
mod shape;
mod verdict;
mod notes;
mod answer;
mod place;
mod host;
mod tool;
mod read;
mod degrade;
mod hosts;
mod fire;
mod journal;
mod halted;
mod respond;
mod edit;
mod install;
mod outlet;
mod steps;
mod call;
#[cfg(unix)]
mod serve;
mod doctor;
mod convert;
mod scaffold;
mod program;
mod testing;

pub use answer::{HostAnswer, Stdout};
pub use convert::{Conversion, convert};
pub use doctor::{Diagnosis, diagnose};
pub use event::{HostEvent, HostTool, McpName, PatchedFile, PayloadKeys};
pub use fire::fire;
pub use host::{Foreign, Host};
pub use hosts::{all, find};
pub use install::{FileChange, InstallError, Installation};
pub use notes::HostNotes;
pub use place::{EntryForm, EntryPlace, TimeUnit};
pub use program::{HookProgram, USAGE, main};
pub use read::{PayloadError, read};
pub use respond::{Request, Responder, written};
pub use scaffold::scaffold;
pub use table::{Carried, Carries, HookPoint, HostEventSpec, HostToolSpec};
pub use testing::{HostRan, HostTrial, HostTrialError};
pub use verdict::{HostDecision, HostVerdict};
