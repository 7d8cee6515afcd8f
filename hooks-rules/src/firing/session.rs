use serde_json::{Map, Value};

/// What the harness knows of a session that a context does not hold. It goes into the context's state; in the turn loop of
/// `hooks-agent` by `harness.session(…).state(SessionInfo { … })`.
///
/// ```
/// use hooks_core::HookContext;
/// use hooks_rules::SessionInfo;
///
/// let session = SessionInfo { transcript: Some("/tmp/s-1.jsonl".into()), permission_mode: Some("plan".into()) };
/// let cx = HookContext::builder().conversation("s-1").state(session).build();
/// # let _ = cx;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionInfo {
    /// The file with the conversation, one message per line; scripts at `Stop` read it.
    pub transcript: Option<std::path::PathBuf>,
    /// The permission mode: `default`, `plan`, `acceptEdits`, …
    pub permission_mode: Option<String>,
}

/// Fields that nested rules are given on stdin as they are, in the place of those that are known here or beside them: a
/// harness that has more to say than its events hold, or passes a payload on. It goes into the context's state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PassedFields(pub Map<String, Value>);
