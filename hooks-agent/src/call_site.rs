//! Why the loop calls a model: the values of `call_site` in events.

/// The answer of a turn.
pub(crate) const MAIN: &str = "main";

/// The answer of a sub-agent.
pub(crate) const SUB_AGENT: &str = "sub_agent";

/// The summary of a compaction.
pub(crate) const COMPACTION: &str = "compaction";
