//! The position of a hook, kind or plugin in the source code.

use std::fmt;

use serde::Serialize;

/// The position of a hook, kind or plugin in the source code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct Origin {
    /// The source file, as reported by the compiler.
    pub file: &'static str,
    /// The line, starting at 1.
    pub line: u32,
    /// The module path.
    pub module: &'static str,
}

impl Origin {
    // Not public API. Used by generated code.
    #[doc(hidden)]
    pub const fn new(file: &'static str, line: u32, module: &'static str) -> Self {
        Self { file, line, module }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}
