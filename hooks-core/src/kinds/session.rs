use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::words::words;
use crate::HookKind;
use crate::verdict::Contexts;

words! {
    /// What a session began from.
    SessionSource {
        /// Nothing: it is new.
        Startup = "startup",
        /// An earlier session is gone on with.
        Resume = "resume",
        /// The person cleared the conversation.
        Clear = "clear",
        /// A conversation that was compacted.
        Compact = "compact",
    }
}

/// Fires when a session begins: hooks give contexts that every turn of it sees.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(
    name = "session_start",
    verdict = Contexts,
    outside_turn,
    match(source, channel),
    new(session, source),
    json
)]
#[non_exhaustive]
pub struct SessionStart {
    /// The session's id.
    pub session: String,
    /// What it began from.
    pub source: SessionSource,
    /// Where the person is, such as `terminal`; empty where the harness has but one place.
    #[serde(default)]
    pub channel: String,
    /// The session that is gone on with.
    #[serde(default)]
    pub resumed_from: Option<String>,
}

words! {
    /// Why a session ended.
    SessionEndReason {
        /// A new one took its place.
        New = "new",
        /// The person reset it.
        Reset = "reset",
        /// Nobody wrote for long.
        Idle = "idle",
        /// A day was over.
        Daily = "daily",
        /// Its conversation was compacted into a new one.
        Compaction = "compaction",
        /// It was deleted.
        Deleted = "deleted",
        /// The program ends.
        Shutdown = "shutdown",
        /// The program starts again.
        Restart = "restart",
    }
}

/// Fires when a session has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "session_end", outside_turn, match(reason, channel), new(session, reason), json)]
#[non_exhaustive]
pub struct SessionEnd {
    /// The session's id.
    pub session: String,
    /// Why it ended.
    pub reason: SessionEndReason,
    /// Where the person was; empty where the harness has but one place.
    #[serde(default)]
    pub channel: String,
    /// How many messages it had.
    #[serde(default)]
    pub message_count: u64,
    /// How long it lasted.
    #[serde(default)]
    pub duration: Option<Duration>,
    /// The session that takes its place.
    #[serde(default)]
    pub next_session: Option<String>,
}
