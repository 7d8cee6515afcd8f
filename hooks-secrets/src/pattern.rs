//! Regular expressions, compiled when they are first used.

use std::sync::LazyLock;

use regex::Regex;

/// A pattern of this crate. `None` only if it does not compile.
pub(crate) type Pattern = LazyLock<Option<Regex>>;

/// Compiles a pattern of this crate, in which `\b` is a boundary of ASCII words: with that of Unicode, a text that is not
/// ASCII takes several times longer, and a letter such as `é` would hide the secret behind it.
pub(crate) fn regex(pattern: &str) -> Option<Regex> {
    // One that does not compile is a bug in this crate, which its tests find.
    Regex::new(&pattern.replace(r"\b", r"(?-u:\b)")).ok()
}

/// Defines patterns.
macro_rules! patterns {
    ($($(#[$doc:meta])* $name:ident = $pattern:expr;)*) => { $(
        $(#[$doc])*
        static $name: $crate::pattern::Pattern = std::sync::LazyLock::new(|| $crate::pattern::regex($pattern));
    )* };
}

pub(crate) use patterns;
