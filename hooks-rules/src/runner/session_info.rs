use std::fmt;

use hook_sdk::HookContext;
use serde_json::{Map, Value};

/// Properties of a session that the context does not contain. Put it into the context's state. In the turn loop of
/// `hooks-agent`, use `harness.session(…).state(SessionInfo { … })`.
///
/// ```
/// use hook_sdk::HookContext;
/// use hooks_rules::SessionInfo;
///
/// let session = SessionInfo { transcript: Some("/tmp/s-1.jsonl".into()), permission_mode: Some("plan".into()) };
/// let cx = HookContext::builder().conversation("s-1").state(session).build();
/// # let _ = cx;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionInfo {
    /// The transcript: a file with one message per line, which scripts at `Stop` read.
    pub transcript: Option<std::path::PathBuf>,
    /// The permission mode: `default`, `plan`, `acceptEdits`, …
    pub permission_mode: Option<String>,
}

/// The folder of the project that an occurrence belongs to, in a program that answers for several: `CLAUDE_PROJECT_DIR`. Put it
/// into the context's state. Without it, it is the folder with which the rules were loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectFolder(pub std::path::PathBuf);

/// Takes what rules say that verdicts have no place for, in a harness that can say it at once. Put it into the context's state.
pub struct RuleNotes(pub Box<dyn Fn(RuleNote) + Send + Sync>);

impl fmt::Debug for RuleNotes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RuleNotes")
    }
}

/// What a rule says that a verdict has no place for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RuleNote {
    /// A text for the model before a call. Without [`RuleNotes`], the model gets it with the result of the call.
    Context(String),
    /// Why the arguments of a call are others.
    Change(String),
    /// What is wrong with the result of a call. Without [`RuleNotes`], it is a text for the model.
    Block(String),
    /// A session must not begin, for this reason. Without [`RuleNotes`], it ends at its first prompt, if the same
    /// [`Rules`](crate::Rules) judge that.
    Halt(String),
    /// A message to the person.
    Message(String),
}

impl RuleNotes {
    /// Says these, if somebody takes them.
    pub(crate) fn say(cx: &HookContext, notes: impl IntoIterator<Item = RuleNote>) -> bool {
        let taker = cx.state::<Self>();
        taker.map(|taker| notes.into_iter().for_each(&taker.0)).is_ok()
    }
}

/// Fields that are passed unchanged to nested rules on stdin. They replace or extend the fields that this crate sets.
/// Use it if the harness has more information than its events contain, or forwards a payload. Put it into the context's
/// state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExtraFields(pub Map<String, Value>);
