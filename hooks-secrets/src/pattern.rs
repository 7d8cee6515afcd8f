//! Regular expressions, compiled when they are first used.

use std::sync::LazyLock;

use regex::Regex;

/// A pattern of this crate. `None` only if it does not compile.
pub(crate) type Pattern = LazyLock<Option<Regex>>;

/// Compiles a pattern of this crate.
pub(crate) fn regex(pattern: &str) -> Option<Regex> {
    // One that does not compile is a bug in this crate, which its tests find.
    Regex::new(pattern).ok()
}
