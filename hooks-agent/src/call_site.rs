//! From where the loop calls a model, as its events say it in `call_site`.

/// For the answer of a turn.
pub(crate) const MAIN: &str = "main";

/// For the answer of an agent that another one asks.
pub(crate) const SUB_AGENT: &str = "sub_agent";

/// For the summary of what no longer fits.
pub(crate) const COMPACTION: &str = "compaction";
