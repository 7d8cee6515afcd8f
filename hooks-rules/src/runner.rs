//! Runs the rules of an event: selects them for an occurrence, runs each, and reports the results.

mod active_rule;
mod deadline;
mod error;
mod event_rules;
mod event_summary;
mod handler;
mod input;
mod owner;
mod report;
mod session_files;
mod session_info;
mod shared;
mod skip_reason;
mod transcript;

pub(crate) use active_rule::ActiveRule;
pub(crate) use error::RulesError;
pub(crate) use event_rules::EventRules;
pub use event_summary::EventSummary;
pub(crate) use event_summary::SummaryListener;
pub(crate) use owner::Owner;
pub use owner::PluginFolder;
pub(crate) use report::{AnswerObserver, NoticeListener, RunObserver, WakeListener};
pub use report::{CommandOutput, Notices, RuleRun, RunOutcome, Wake};
pub(crate) use session_files::SessionFiles;
pub use session_info::{ExtraFields, ProjectFolder, RuleNote, RuleNotes, SessionInfo};
pub(crate) use shared::Shared;
pub use skip_reason::SkipReason;
