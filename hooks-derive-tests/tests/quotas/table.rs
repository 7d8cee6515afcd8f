//! `docs/misuse.md`: the mistakes that the compiler reports, and its messages.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::files::{CATEGORIES, Misuse, all, category};

const HEAD: &str = "\
# Compile errors

This page lists mistakes in [`#[hook]`](writing-hooks.md) and the other macros of the SDK, with the messages of the compiler. Each
table is one program from `hooks-derive-tests/tests/ui/fail`, whose name is in parentheses. The left column is the code that the
compiler underlines, and the right column is the first line of its message. One build reports all mistakes of a program.

This page is generated: `UPDATE_MISUSE=1 cargo test -p hooks-derive-tests --test it quotas` writes it, and a test compares it with
the messages.
";

/// Compares the page with the messages, or writes it if `UPDATE_MISUSE=1`.
#[track_caller]
pub(crate) fn assert_table(file: &Path) {
    let found = page(&all());
    if std::env::var_os("UPDATE_MISUSE").is_some_and(|value| value == "1") {
        fs::write(file, found).unwrap();
        return;
    }
    let expected = fs::read_to_string(file).unwrap_or_default().replace("\r\n", "\n");
    let drift = expected.lines().zip(found.lines()).find(|(then, now)| then != now);
    assert!(
        expected == found,
        "{} does not match the messages: {drift:?}; UPDATE_MISUSE=1 rewrites it",
        file.display()
    );
}

fn page(all: &[Misuse]) -> String {
    let mut page = HEAD.to_owned();
    for (title, _, _) in CATEGORIES {
        let files: Vec<&Misuse> = all.iter().filter(|misuse| category(&misuse.name) == *title).collect();
        write!(page, "\n## {title}\n").unwrap();
        for misuse in files {
            let about = misuse.about.as_deref().unwrap_or_default();
            write!(page, "\n{about} (`{}`)\n\n| Code | Message |\n|---|---|\n", misuse.name).unwrap();
            for error in &misuse.errors {
                let (token, message) = (cell(&code(&error.token)), cell(&error.message));
                writeln!(page, "| {token} | {message} |").unwrap();
            }
        }
    }
    page
}

/// Formats a text as code, even if it contains backticks.
fn code(text: &str) -> String {
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// Escapes bars, which would end the cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
