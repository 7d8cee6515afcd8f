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
//! A command reads one object from stdin and answers with its exit code, an object on stdout, and stderr. The chapter on
//! rules, `docs/rules.md`, explains the answers in one table for both dialects.
//!
//! # Two layers
//!
//! The **pure layer** parses and decides. It needs neither processes nor a runtime:
//!
//! | Step | Where |
//! |---|---|
//! | parse a text into rules, and defects with their positions | [`RuleFile`], [`Defect`] |
//! | `(matcher, value) -> selected` | [`Matcher`], [`Filter`], [`Aliases`] |
//! | write an occurrence to stdin | [`Occurrence`] |
//! | `(dialect, event, exit status, stdout, stderr) -> answer` | [`AnswerReader`], [`Answer`] |
//! | the properties of events and dialects | [`event`], [`Dialect`], [`schema`] |
//!
//! The **runner** is the feature `runner`, on by default: [`Rules`] reads the files of an app and installs one hook per
//! event into a [`hook_sdk::Registry`], `rules_pre_tool_use` and so on. The rules of an event run concurrently on the same
//! input, and their answers are merged in the order of the files.
//!
//! # Guarantees
//!
//! - A defect affects only the entry that contains it. It is reported with file, line, column and a suggestion.
//! - Exit code 2 blocks, whatever is on stdout. Every other failure is reported, and the event continues, unless the rule has
//!   `"onFailure": "block"`. So **rules fail open**, as existing scripts expect, while compiled gates fail closed. If no rule
//!   decided, the hook that runs the rules has failed; the failure names the rule, and the person sees a message.
//! - An `if` errs towards running: if the [`Filter`] does not understand an input, the guard runs. If the same rule appears
//!   twice with different power, the more powerful one runs.
//! - A tool receives the same path that a rule has judged.
//! - A command runs in its own session without a terminal, or in a job object on Windows. At its deadline, and when the
//!   dispatch is dropped, the command and all processes that it started are ended. When the command exits, its remaining
//!   processes are ended too, unless the rule is `async`. On Linux this includes processes in other sessions, which are found
//!   by the variable `HOOKS_RULES_RUN`. Two cases remain: a daemon that closed the pipes before its command exited, and
//!   processes that run while this process is killed by `SIGKILL`.
//! - Commands inherit the environment of this process except for `OTEL_*`, as the contract requires.
//!   [`withhold_credentials`](RulesBuilder::withhold_credentials) removes further variables, and each report names them.
//! - The rules of a project, and of plugins inside it, do not run until somebody trusts the current content of their file:
//!   [`Trust`].
//! - In a turn loop that fires the kinds, such as that of `hooks-agent`, rules decide as the contract defines.
//!   [`session_files`](RulesBuilder::session_files) keeps the transcript file that scripts read up to date.
//! - Every run of a rule is reported to [`observe`](RulesBuilder::observe), without its input.
//!
//! # Features
//!
//! `runner`, on by default. `http`: `PlainHttp`, a client without TLS for rules of the type `http`; an app that has a client
//! lends its own as [`Post`]. `watch`: `Rules::watch` reads rules and plugins again when their files change.
//!
//! # Not here
//!
//! Handlers of the types `agent` and `mcp_tool` are recognised and rejected. Events without a kind are recognised and reported
//! as not fired.

mod json_type;
pub mod event;
mod dialect;
mod aliases;
mod paths;
mod matcher;
mod filter;
mod rule;
mod syntax;
mod occurrence;
mod answer;
mod formats;
mod answer_reader;
mod rule_file;
mod schema;
#[cfg(feature = "runner")]
mod clients;
#[cfg(feature = "runner")]
mod process;
#[cfg(feature = "runner")]
mod runner;
#[cfg(feature = "runner")]
mod hooks;
#[cfg(feature = "runner")]
mod ruleset;

pub use aliases::Aliases;
pub use answer::{Answer, Attachment, RuleDecision, RunStatus, TEXT_LIMIT};
pub use dialect::Dialect;
pub use event::Event;

pub use answer_reader::AnswerReader;
#[cfg(feature = "http")]
pub use clients::PlainHttp;
#[cfg(feature = "runner")]
pub use clients::{ClientResult, Judge, JudgeQuestion, Post, PostRequest};
pub use filter::{BadFilter, Filter, Folders, plain_commands};
pub use matcher::{BadMatcher, Matcher};
pub use occurrence::Occurrence;
pub use rule::{Action, CommandLine, FailureMode, HttpRequest, JudgePrompt, Rule, RuleId, RuleSource, Shell};
pub use rule_file::RuleFile;
#[cfg(feature = "runner")]
pub use ruleset::{
    Explanation, PluginChange, PluginContents, PluginInfo, PluginStatus, PluginStep, RuleInfo, Rules, RulesBuilder,
    Trust, TrustError,
};
#[cfg(feature = "watch")]
pub use ruleset::{RulesWatch, WatchError};
#[cfg(feature = "runner")]
pub use runner::{
    CommandOutput, EventSummary, ExtraFields, Notices, PluginFolder, ProjectFolder, RuleNote, RuleNotes, RuleRun,
    RunOutcome, SessionInfo, SkipReason, Wake,
};
pub use schema::schema;
pub use syntax::{Defect, Severity};
