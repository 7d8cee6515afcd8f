//! What hooks keep for the session of a person: for its conversation and those of the sub-agents in it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use hook_sdk::HookContext;

/// The state of a context in which no hook is listed twice. Its hooks go on with what they keep for a session when their
/// parameters change, for example when a limit is raised.
#[derive(Clone, Copy, Debug)]
pub struct CountsOn;

/// A value for each entry of a list, by the settings of the entry.
#[derive(Default)]
struct Kept<T>(Mutex<HashMap<String, T>>);

/// Reads and changes what an entry with these settings keeps for a session. `None`: the context does not say where that is.
pub(crate) fn with<T: Default + Send + 'static, R>(
    cx: &HookContext,
    session: Option<&str>,
    settings: &str,
    change: impl FnOnce(&mut T) -> R,
) -> Option<R> {
    // Sub-agents have conversations of their own, in which they would begin at nothing.
    let kept = match session {
        Some(session) => cx.to_builder().conversation(session).build().conversation_state::<Kept<T>>(),
        None => cx.conversation_state::<Kept<T>>(),
    }
    .ok()?;
    let entry = if cx.state::<CountsOn>().is_ok() { "" } else { settings };
    // A panic of `change` leaves counters at most one short of what they were about to be.
    let mut kept = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
    Some(change(kept.entry(entry.to_owned()).or_default()))
}

/// The turn in which a call counts: that of the session. A sub-agent has turns of its own within it, and belongs to the
/// one that was seen last.
pub(crate) fn turn(cx: &HookContext, last: Option<u64>) -> Option<u64> {
    if cx.agent_path().is_empty() { cx.turn() } else { last.or(cx.turn()) }
}
