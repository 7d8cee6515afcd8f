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

/// What the styles of this file become, and those of the help.
const OWN: &[&str] = &["\x1b[0m", "\x1b[4m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m"];

/// Replaces control characters that did not come from the styles of this file, wherever a command did not.
pub(crate) fn without_control(text: &str) -> String {
    let mut rest = text;
    let mut shown = String::with_capacity(text.len());
    while let Some(c) = rest.chars().next() {
        let taken = match OWN.iter().find(|own| rest.starts_with(**own)) {
            Some(own) => {
                shown.push_str(own);
                own.len()
            }
            None => {
                shown.push(if c.is_control() && !matches!(c, '\n' | '\t') { '\u{fffd}' } else { c });
                c.len_utf8()
            }
        };
        rest = &rest[taken..];
    }
    shown
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
        for style in [BAD, DOUBTFUL, GOOD, PLACE, STRONG, FAINT] {
            let text = styled(style, "own");
            assert_eq!(
                without_control(&format!("{text}\u{1b}[8mhidden\u{1b}]0;\u{7}")),
                format!("{text}\u{fffd}[8mhidden\u{fffd}]0;\u{fffd}")
            );
        }
    }
}
