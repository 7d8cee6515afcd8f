//! Colours, and sanitising of foreign texts for a terminal.

use std::borrow::Cow;
use std::fmt::Display;

use anstyle::{AnsiColor, Style};

pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const DOUBTFUL: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const PLACE: Style = AnsiColor::Cyan.on_default();
pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();

/// Applies a style to `text`.
pub(crate) fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Replaces characters that could control the terminal. Line breaks are kept.
pub(crate) fn safe(text: &str) -> Cow<'_, str> {
    if !text.chars().any(steers) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if steers(c) { '\u{fffd}' } else { c }).collect())
}

/// The same in a single line.
pub(crate) fn line(text: &str) -> String {
    safe(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a character acts on a terminal, changes the direction of a text, or cannot be seen. Joiners of scripts and
/// emoji stay.
pub(crate) fn steers(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{61c}')
        || matches!(c, '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// Adds colours to a defect.
pub(crate) fn defect(text: &str) -> String {
    let lines = safe(text).lines().map(colored).collect::<Vec<_>>();
    lines.join("\n")
}

fn colored(line: &str) -> String {
    let begins = |word: &str| line.trim_start().starts_with(word);
    if let Some(rest) = line.strip_prefix("error:") {
        format!("{}:{}", styled(BAD, "error"), styled(STRONG, rest))
    } else if let Some(rest) = line.strip_prefix("warning:") {
        format!("{}:{}", styled(DOUBTFUL, "warning"), styled(STRONG, rest))
    } else if let Some(rest) = line.strip_prefix("hint:") {
        format!("{}:{}", styled(STRONG, "hint"), styled(STRONG, rest))
    } else if begins("-->") {
        styled(PLACE, line)
    } else if begins("= help:") {
        styled(GOOD, line)
    } else {
        match line.split_once(" | ") {
            Some((before, mark)) if before.trim().is_empty() && mark.trim().starts_with('^') => {
                format!("{before} | {}", styled(BAD, mark))
            }
            _ => line.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_control_a_terminal_are_replaced_and_others_are_kept() {
        assert_eq!(safe("rm\u{1b}[2K -rf \u{202e}x"), "rm\u{fffd}[2K -rf \u{fffd}x");
        assert_eq!(safe("one\n\ttwo – drei"), "one\n\ttwo – drei");
        assert_eq!(line("one\n  two\r"), "one two\u{fffd}");
    }
}
