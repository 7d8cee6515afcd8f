//! Reads the text of a definition file.

use std::path::Path;

use super::error::DefinitionError;

/// Removes the byte order mark that some editors write.
pub(crate) fn unmarked(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

pub(crate) fn read(file: &Path) -> Result<String, DefinitionError> {
    let bytes = std::fs::read(file).map_err(|source| DefinitionError::Unreadable { file: file.into(), source })?;
    String::from_utf8(bytes)
        .map_err(|error| DefinitionError::NotUtf8 { file: file.into(), valid_up_to: error.utf8_error().valid_up_to() })
}
