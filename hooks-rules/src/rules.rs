//! The rules of an app: where they come from, whether they may run, and the hooks that run them.

mod armed;
mod builder;
mod explain;
mod exports;
mod files;
mod fire;
mod install;
mod one;
mod report;
mod source;
mod state;
mod transcript;
mod trust;

pub(crate) use armed::{Armed, Shared};
pub use builder::RulesBuilder;
pub use explain::{Explained, KeptOut};
pub(crate) use files::Files;
pub(crate) use fire::Firing;
pub use report::{Aside, Outcome, RuleRun};
pub use source::Plugin;
pub use state::{Listed, Rules};
pub(crate) use transcript::Transcripts;
pub use trust::{Trust, TrustError};

/// What the harness knows of a session beside what a context holds. It goes into the context's state; in the turn loop of
/// `hooks-agent` by `harness.session(…).state(Session { … })`.
///
/// ```
/// use hooks_core::HookContext;
/// use hooks_rules::Session;
///
/// let session = Session { transcript: Some("/tmp/s-1.jsonl".into()), permission_mode: Some("plan".into()) };
/// let cx = HookContext::builder().conversation("s-1").state(session).build();
/// # let _ = cx;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// The file with the conversation, one message per line; scripts at `Stop` read it.
    pub transcript: Option<std::path::PathBuf>,
    /// The permission mode: `default`, `plan`, `acceptEdits`, …
    pub permission_mode: Option<String>,
}
