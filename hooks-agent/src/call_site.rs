//! From where the loop calls a model, as its events say it in `call_site`.

/// For the answer of a turn.
pub(crate) const MAIN: &str = "main";

/// For the summary of what no longer fits.
pub(crate) const COMPACTION: &str = "compaction";
