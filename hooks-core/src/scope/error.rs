//! What is wrong with a definition file, with the position of every error.

use std::path::Path;
use std::sync::Arc;

use crate::source::{Place, Places};
use crate::tables::debug_as_display;
use crate::text::numbered;

/// An app, agent or prompt file cannot be read or is invalid.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {source}", file.display())]
    #[non_exhaustive]
    Unreadable {
        /// The path of the file.
        file: Arc<Path>,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file is not UTF-8.
    #[error("{}: is not UTF-8 from byte {valid_up_to} on; save it as UTF-8", file.display())]
    #[non_exhaustive]
    NotUtf8 {
        /// The path of the file.
        file: Arc<Path>,
        /// The length of the valid part in bytes.
        valid_up_to: usize,
    },
    /// The text is invalid.
    #[error("{place}: {problem}")]
    #[non_exhaustive]
    Invalid {
        /// The position of the error.
        place: Place,
        /// What is wrong, and what was expected.
        problem: String,
    },
    /// The text contains several errors.
    #[error("{}", numbered(problems))]
    #[non_exhaustive]
    Several {
        /// The errors, in the order of the text.
        problems: Vec<DefinitionError>,
    },
}

debug_as_display!(DefinitionError);

/// Collects all values, or all errors.
pub(crate) fn all<T>(read: impl Iterator<Item = Result<T, DefinitionError>>) -> Result<Vec<T>, DefinitionError> {
    let mut problems = Vec::new();
    let values = read.filter_map(|read| read.map_err(|problem| problems.push(problem)).ok()).collect();
    if problems.len() > 1 {
        return Err(DefinitionError::Several { problems });
    }
    problems.pop().map_or(Ok(values), Err)
}

pub(crate) fn invalid(file: &Arc<Path>, text: &str, offset: usize, problem: impl Into<String>) -> DefinitionError {
    DefinitionError::Invalid { place: Places::new(file, text).at(offset), problem: problem.into() }
}
