use std::fmt::{Display, Write as _};

/// Several messages as a numbered list; a single one stays as it is.
pub(crate) fn numbered(messages: &[impl Display]) -> String {
    if let [only] = messages {
        return only.to_string();
    }
    let mut text = format!("{} problems:", messages.len());
    for (i, message) in messages.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n{:>3}. {message}", i + 1);
    }
    text
}
