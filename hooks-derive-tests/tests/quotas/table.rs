//! `docs/misuse.md`: the mistakes that are made first, and the messages of the compiler.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::files::{Misuse, all};

const HEAD: &str = "\
# Compile errors

The compiler rejects a [hook](writing-hooks.md) that could not work. The error points at the token to change and says what to write
instead; all mistakes of an attribute are reported at once. It warns if a verdict is not used.
`hooks-derive-tests/tests/ui/fail` has the programs that must not compile, each with its messages. The most frequent:

| Code | First line of the message |
|---|---|
";

/// The programs of the page; it shows the first error of each.
const SHOWN: &[&str] = &[
    "id_form",
    "duplicate_ids",
    "kind_elsewhere",
    "kind_form",
    "kind_unknown",
    "kind_no_kind",
    "parameter_rewrite",
    "parameter_read",
    "parameter_texts",
    "parameter_beside",
    "return_truth",
    "return_of_another_kind",
    "return_subject",
    "return_option_kept",
    "return_halt_outside_turn",
    "return_nested",
    "verdict_unused",
    "not_send",
    "item_method",
    "item_generic",
    "item_twice",
    "filter",
    "filter_patterns",
    "filter_words",
    "on_failure_words",
    "on_failure_of_kind",
    "option_unknown",
    "option_elsewhere",
    "timeout",
    "together_timeout_and_plain",
    "run_writes",
    "run_returns",
    "retries_alone",
    "fallback",
    "hooks_list",
    "setup_in_module",
];

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
    for name in SHOWN {
        let misuse = all.iter().find(|misuse| misuse.name == *name).unwrap_or_else(|| panic!("no program `{name}`"));
        let error = &misuse.errors[0];
        writeln!(page, "| {} | {} |", cell(&code(&error.token)), cell(&error.message)).unwrap();
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
