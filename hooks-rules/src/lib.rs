//! `hooks.json`: external commands, prompts and requests as hooks of an agent, next to the compiled ones.
//!
//! A rule file says which command runs when. The files that exist for Claude Code and for Agentao are read as they are;
//! a file's form tells which of the two it is.
//!
//! ```json
//! { "hooks": { "PreToolUse": [ { "matcher": "Bash", "hooks": [
//!     { "type": "command", "command": "./guard.sh", "timeout": 5, "onFailure": "block" },
//!     { "type": "hook", "id": "redact_pii" } ] } ] } }
//! ```
//!
//! A command gets one object on stdin and answers by its exit code, an object on stdout, and stderr. What that means is
//! in the chapter on rules, `docs/rules.md`, in one table for both dialects.
//!
//! # Two layers
//!
//! The **pure layer** reads and decides, and knows neither processes nor a runtime:
//!
//! | Step | Where |
//! |---|---|
//! | a text becomes rules, and defects with their places | [`RuleFile`], [`Defect`] |
//! | `(matcher, value) -> selected` | [`Matcher`], [`Filter`], [`Aliases`] |
//! | an occurrence becomes stdin | [`Occurrence`] |
//! | `(dialect, event, exit status, stdout, stderr) -> answer` | [`Reading`], [`Answer`] |
//! | what is known of events and dialects | [`event`], [`Dialect`], [`schema`] |
//!
//! The **runner** is the feature `runner`, on by default: [`Rules`] reads the files of an app and installs one hook per
//! event into a [`hooks_core::Registry`], `rules_pre_tool_use` and so on. The rules of an event run at the same time on the
//! same input, and their answers are folded in the order of the files.
//!
//! # What holds
//!
//! - A defect costs what it marks and nothing else, and is reported with file, line, column and what to write.
//! - Exit code 2 blocks, whatever is on stdout. Every other failure is reported and goes on, unless the rule says
//!   `"onFailure": "block"`: **rules fail open** where compiled gates fail closed, since that is what scripts are written for.
//!   The hook that carries a rule has then failed, in words that name the rule, and the person is told.
//! - An `if` errs towards running: what the [`Filter`] does not understand runs the guard. So does a rule twice with different
//!   power: the greater one runs.
//! - A tool gets the path that a rule has judged.
//! - A command runs in a session of its own, without a terminal; on Windows in a job. At its deadline, and when the dispatch
//!   is dropped, all of it is ended. What it leaves behind when it leaves is ended too; a command that wants to be left alone
//!   says `async`. On Linux that holds for what went into another session, found by `HOOKS_RULES_RUN` in its environment. Two
//!   things stay: a daemon that let go of the pipes before its command left, and, where this process itself is killed by
//!   `SIGKILL`, what ran then.
//! - Commands find the variables of this process but for `OTEL_*`, as the contract has it;
//!   [`withhold_credentials`](RulesBuilder::withhold_credentials) keeps some out, and each report names them.
//! - The rules of a project, and of plugins within it, wait until somebody trusts their file as it is: [`Trust`].
//! - In a turn loop that fires the kinds, such as that of `hooks-agent`, rules decide as the contract has it, and
//!   [`session_files`](RulesBuilder::session_files) keeps the transcript that scripts read, as the conversation is stored.
//! - Every run of a rule is reported to [`observe`](RulesBuilder::observe), without what was given to it.
//!
//! # Features
//!
//! `runner`, on by default. `http`: `PlainHttp`, a client without TLS for rules of the type `http`; an app that has a client
//! lends its own as [`Post`]. `watch`: `Rules::watch` reads rules and plugins again when their files change.
//!
//! # Not here
//!
//! Handlers of the types `agent` and `mcp_tool` are known and refused. Events that no kind carries are known, and reported as
//! not fired.

mod json_type;
pub mod event;
mod dialect;
mod alias;
mod files;
mod matcher;
mod filter;
mod rule;
mod written;
mod stdin;
mod answer;
mod formats;
mod reading;
mod file;
mod schema;
#[cfg(feature = "runner")]
mod run;
#[cfg(feature = "runner")]
mod firing;
#[cfg(feature = "runner")]
mod hooks;
#[cfg(feature = "runner")]
mod rules;

pub use alias::Aliases;
pub use answer::{Answer, Attachment, Decision, RunStatus, TEXT_LIMIT};
pub use dialect::Dialect;
pub use event::Event;
pub use file::RuleFile;
pub use filter::{BadFilter, Filter};
#[cfg(feature = "runner")]
pub use firing::{
    KeptOut, Notices, PassedFields, PluginFolder, Printed, RuleRun, RulesFired, RunOutcome, SessionInfo, Wake,
};
pub use matcher::{BadMatcher, Matcher};
pub use reading::Reading;
pub use rule::{Action, CommandLine, FailureMode, HttpRequest, JudgePrompt, Rule, RuleId, RuleSource, Shell};
#[cfg(feature = "runner")]
pub use rules::{
    Explained, Listed, ListedPlugin, PluginChange, PluginStatus, PluginStep, Rules, RulesBuilder, Trust, TrustError,
};
#[cfg(feature = "watch")]
pub use rules::{RulesWatch, WatchError};
#[cfg(feature = "http")]
pub use run::PlainHttp;
#[cfg(feature = "runner")]
pub use run::{ClientResult, Judge, JudgeQuestion, Post, PostRequest};
pub use schema::schema;
pub use stdin::Occurrence;
pub use written::{Defect, Severity};
