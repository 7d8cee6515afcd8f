use std::fmt;

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

/// Takes the contexts of rules before a call, in a harness that can give them to the model at once. Put it into the
/// context's state. Without it, the model gets them with the result of the call.
pub struct CallContexts(pub Box<dyn Fn(Vec<String>) + Send + Sync>);

impl fmt::Debug for CallContexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallContexts")
    }
}

/// Takes the reason of a rule that ends a session at its start, in a harness that can say so at once. Put it into the
/// context's state. Without it, the session ends at its first prompt, if the same [`Rules`](crate::Rules) judge that.
pub struct SessionHalt(pub Box<dyn Fn(String) + Send + Sync>);

impl fmt::Debug for SessionHalt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionHalt")
    }
}

/// Fields that are passed unchanged to nested rules on stdin. They replace or extend the fields that this crate sets.
/// Use it if the harness has more information than its events contain, or forwards a payload. Put it into the context's
/// state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExtraFields(pub Map<String, Value>);
