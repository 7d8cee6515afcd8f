use hooks_macros::__event as event;

use super::words::words;
use crate::data::{CompactedHistory, Messages};
use crate::verdict::Permission;

words! {
    /// Who requested the compaction.
    CompactionTrigger {
        /// The harness, as the context fills up.
        Auto = "auto",
        /// The person.
        Manual = "manual",
    }
}

words! {
    /// How a conversation is compacted.
    CompactionKind {
        /// A summary replaces old messages.
        Full = "full",
        /// Old tool results are shortened.
        Micro = "microcompact",
        /// Tool inputs and results of the current turn are shortened.
        Turn = "turn",
        /// Only the minimum that the model needs is kept.
        MinimalHistory = "minimal_history",
    }
}

words! {
    /// How much of the standing context is added again after a compaction.
    #[derive(Default)]
    InjectionMode {
        /// All of it.
        #[default]
        Full = "full",
        /// Only what the turn needs, because the model rejected the conversation.
        Minimal = "minimal",
    }
}

/// Fires before a conversation is compacted: hooks may deny it for now.
///
/// If the context has already overflowed, a denial has no effect, because the turn could not continue.
#[event(
    name = "before_compaction",
    verdict = Permission,
    match(trigger, compaction, reason),
    new(trigger, compaction, messages)
)]
pub struct BeforeCompaction {
    /// Who requested the compaction.
    pub trigger: CompactionTrigger,
    /// How the conversation is compacted.
    pub compaction: CompactionKind,
    /// The messages to compact.
    #[serde(default)]
    pub messages: Messages,
    /// The reason, in a word of the harness, such as `compression_threshold`; empty if it gives none.
    pub reason: String,
    /// Whether the context has overflowed, so that a denial has no effect.
    pub overflowed: bool,
    /// Instructions from the person about what to keep.
    pub instructions: String,
    /// The number of tokens in the conversation, if the harness knows it.
    pub token_count: Option<u64>,
}

/// Fires when a conversation has been compacted: hooks may rewrite the remaining messages.
#[event(
    name = "post_compact",
    subject = CompactedHistory,
    check = CompactedHistory::check,
    match(trigger, compaction, profile, injection_mode),
    new(trigger, compaction)
)]
#[derive(Eq)]
pub struct PostCompact {
    /// Who requested the compaction.
    pub trigger: CompactionTrigger,
    /// How the conversation was compacted.
    pub compaction: CompactionKind,
    /// The model profile of the turn; empty if there is none.
    pub profile: String,
    /// How much of the standing context is added again.
    pub injection_mode: InjectionMode,
    /// The number of messages that were removed.
    pub compacted_count: u64,
}
