//! Runs the rules of an event: selects them for an occurrence, runs each, and reports the results.

mod active;
mod deadline;
mod execute;
mod failed;
mod fired;
mod files;
mod fire;
mod kept_out;
mod owner;
mod report;
mod session;
mod shared;
mod transcript;

pub(crate) use active::ActiveRule;
pub(crate) use failed::RulesFailed;
pub(crate) use files::SessionFiles;
pub(crate) use fire::Firing;
pub(crate) use fired::FiredListener;
pub use fired::RulesFired;
pub use kept_out::KeptOut;
pub(crate) use owner::Owner;
pub use owner::PluginFolder;
pub(crate) use report::{AnswerObserver, NoticeListener, RunObserver, WakeListener};
pub use report::{Notices, Printed, RuleRun, RunOutcome, Wake};
pub use session::{PassedFields, SessionInfo};
pub(crate) use shared::Shared;
