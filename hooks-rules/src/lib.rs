//! `hooks.json`: external commands and prompts as hooks of an agent.

mod alias;
mod answer;
mod dialect;
pub mod event;
mod file;
mod filter;
#[cfg(feature = "runner")]
mod hooks;
mod matcher;
mod rule;
#[cfg(feature = "runner")]
mod rules;
#[cfg(feature = "runner")]
mod run;
mod stdin;

pub use alias::Aliases;
pub use answer::{Answer, Attachment, Decision, Reading, Status, TEXT_LIMIT};
pub use dialect::Dialect;
pub use event::Event;
pub use file::{Defect, RuleFile, Severity};
pub use filter::{BadFilter, Filter};
pub use matcher::{BadMatcher, Matcher};
pub use rule::{Action, CommandLine, OnFailure, Question, Request, Rule, RuleId, Shell};
#[cfg(feature = "runner")]
pub use rules::{Aside, Listed, Outcome, Plugin, RuleRun, Rules, RulesBuilder, Session, Trust, TrustError};
#[cfg(feature = "runner")]
pub use run::{Asked, Judge, Post, Posted, Reply};
pub use stdin::Occurrence;
