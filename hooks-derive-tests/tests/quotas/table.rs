//! `docs/misuse.md`: what can be written wrongly, and what is said about it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::files::{CATEGORIES, Misuse, all, category};

const HEAD: &str = "\
# What does not compile, and what is said

Each block is one program of `hooks-derive-tests/tests/ui/fail`: on the left what the compiler underlines, on the right the
first line of its message. All of a program is told in one compile.

This page is written by `UPDATE_MISUSE=1 cargo test -p hooks-derive-tests --test it quotas`, and a test holds it to the
messages.
";

/// Holds the page to the messages, or writes it where `UPDATE_MISUSE=1`.
#[track_caller]
pub(crate) fn assert_table(file: &Path) {
    let found = page(&all());
    if std::env::var_os("UPDATE_MISUSE").is_some_and(|value| value == "1") {
        fs::write(file, found).unwrap();
        return;
    }
    let expected = fs::read_to_string(file).unwrap_or_default().replace("\r\n", "\n");
    let drift = expected.lines().zip(found.lines()).find(|(then, now)| then != now);
    assert!(expected == found, "{} is not what the messages say: {drift:?}; UPDATE_MISUSE=1 writes it", file.display());
}

fn page(all: &[Misuse]) -> String {
    let mut page = HEAD.to_owned();
    for (title, _, _) in CATEGORIES {
        let files: Vec<&Misuse> = all.iter().filter(|misuse| category(&misuse.name) == *title).collect();
        write!(page, "\n## {title}\n").unwrap();
        for misuse in files {
            let about = misuse.about.as_deref().unwrap_or_default();
            write!(page, "\n{about} (`{}`)\n\n| Written | Told |\n|---|---|\n", misuse.name).unwrap();
            for error in &misuse.errors {
                let (token, message) = (cell(&code(&error.token)), cell(&error.message));
                writeln!(page, "| {token} | {message} |").unwrap();
            }
        }
    }
    page
}

/// As code, whatever quotes are in it.
fn code(text: &str) -> String {
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// A bar would end the cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
