//! The names that several places emit. The conventions are in development, and names of theirs still move.

/// The version of the conventions: a state of the repository `open-telemetry/semantic-conventions-genai`, which has no
/// releases yet. The names of guardrails are those of its pull request 427.
pub const CONVENTIONS: &str = "semantic-conventions-genai of 2026-08-20; guardrails: #427 at 3155df28";

pub(crate) const ERROR_TYPE: &str = "error.type";
pub(crate) const AGENT: &str = "gen_ai.agent.name";
pub(crate) const CONVERSATION: &str = "gen_ai.conversation.id";
pub(crate) const OPERATION: &str = "gen_ai.operation.name";

/// Own names, because no convention knows hooks.
pub(crate) mod hook {
    pub(crate) const ID: &str = "hook.id";
    pub(crate) const KIND: &str = "hook.kind";
    pub(crate) const STATUS: &str = "hook.status";
    pub(crate) const VERDICT: &str = "hook.verdict";
    pub(crate) const NOTE: &str = "hook.note";
    pub(crate) const MODE: &str = "hook.run";
}
