use serde::{Deserialize, Serialize};

use super::words::{setters, words};
use crate::HookKind;
use crate::data::{CompactedHistory, Messages};
use crate::verdict::Permission;

words! {
    /// Who wants a conversation to be compacted.
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
        /// A summary takes the place of what was said.
        Full = "full",
        /// Old tool results are shortened.
        Micro = "microcompact",
        /// What tools were given and gave in the turn under way is shortened.
        Turn = "turn",
        /// Only what the model cannot do without is kept.
        MinimalHistory = "minimal_history",
    }
}

/// Fires before a conversation is compacted: hooks may refuse, which means not now.
///
/// Where the context has overflowed already, a refusal has no power: the turn could not go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, HookKind)]
#[hook_kind(
    name = "before_compaction",
    verdict = Permission,
    match(trigger, compaction, reason),
    new(trigger, compaction, messages),
    json
)]
#[non_exhaustive]
pub struct BeforeCompaction {
    /// Who wants it.
    pub trigger: CompactionTrigger,
    /// How it is done.
    pub compaction: CompactionKind,
    /// What is to be compacted.
    #[serde(default)]
    pub messages: Messages,
    /// Why, in a word of the harness, such as `compression_threshold`; empty where it does not say.
    #[serde(default)]
    pub reason: String,
    /// Whether the context has overflowed, so that a refusal has no power.
    #[serde(default)]
    pub overflowed: bool,
    /// What the person asked to be kept in mind.
    #[serde(default)]
    pub instructions: String,
    /// How many tokens the conversation has, where the harness knows.
    #[serde(default)]
    pub token_count: Option<u64>,
}

/// Fires when a conversation has been compacted: hooks may rewrite what is left of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, HookKind)]
#[hook_kind(
    name = "post_compact",
    subject = CompactedHistory,
    check = CompactedHistory::check,
    match(trigger, compaction, profile, injection_mode),
    json
)]
#[non_exhaustive]
pub struct PostCompact {
    /// Who wanted it.
    pub trigger: CompactionTrigger,
    /// How it was done.
    pub compaction: CompactionKind,
    /// The model profile of the turn; empty where there is none.
    #[serde(default)]
    pub profile: String,
    /// How much of the standing context is put in again, in a word of the harness.
    #[serde(default = "full")]
    pub injection_mode: String,
    /// How many messages went.
    #[serde(default)]
    pub compacted_count: u64,
}

fn full() -> String {
    "full".to_owned()
}

impl PostCompact {
    /// A conversation was compacted.
    pub fn new(trigger: impl Into<CompactionTrigger>, compaction: impl Into<CompactionKind>) -> Self {
        Self {
            trigger: trigger.into(),
            compaction: compaction.into(),
            profile: String::new(),
            injection_mode: full(),
            compacted_count: 0,
        }
    }
}

setters!(PostCompact {
    /// The model profile of the turn.
    profile: String,
    /// How much of the standing context is put in again.
    injection_mode: String,
    /// How many messages went.
    compacted_count: u64,
});
