use std::time::Duration;

use hooks_macros::__event as event;

use super::words::words;
use crate::verdict::Contexts;

words! {
    /// How a session began.
    SessionSource {
        /// As a new session.
        Startup = "startup",
        /// An earlier session is resumed.
        Resume = "resume",
        /// The person cleared the conversation.
        Clear = "clear",
        /// After a conversation was compacted.
        Compact = "compact",
    }
}

/// Fires when a session begins: hooks may add contexts for every turn of the session.
#[event(name = "session_start", verdict = Contexts, outside_turn, match(source, channel), new(session, source))]
#[derive(Eq)]
pub struct SessionStart {
    /// The session's id.
    pub session: String,
    /// How the session began.
    pub source: SessionSource,
    /// Where the person is, such as `terminal`; empty if the harness has only one channel.
    pub channel: String,
    /// The session that is resumed.
    pub resumed_from: Option<String>,
}

words! {
    /// Why a session ended.
    SessionEndReason {
        /// A new session replaced it.
        New = "new",
        /// The person reset the session.
        Reset = "reset",
        /// The session was idle for too long.
        Idle = "idle",
        /// The day ended.
        Daily = "daily",
        /// Its conversation was compacted into a new session.
        Compaction = "compaction",
        /// The session was deleted.
        Deleted = "deleted",
        /// The program ends.
        Shutdown = "shutdown",
        /// The program restarts.
        Restart = "restart",
    }
}

/// Fires when a session has ended.
#[event(name = "session_end", outside_turn, match(reason, channel), new(session, reason))]
#[derive(Eq)]
pub struct SessionEnd {
    /// The session's id.
    pub session: String,
    /// Why the session ended.
    pub reason: SessionEndReason,
    /// Where the person was; empty if the harness has only one channel.
    pub channel: String,
    /// The number of its messages.
    pub message_count: u64,
    /// The duration of the session.
    pub duration: Option<Duration>,
    /// The session that replaces it.
    pub next_session: Option<String>,
}
