//! Pages that are generated from the sources. A test fails if a page no longer matches the code.
//!
//! `UPDATE_BOOK=1 cargo test -p docs-tests --test it written` rewrites them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests are tests too")]

mod cookbook;
mod elsewhere;
mod kinds;
mod measured;
mod options;
mod source;
mod start;

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Compares the part of a page between its two marks with `text`, or writes it there.
fn assert_written(page: &str, part: &str, text: &str) {
    let file = root().join("docs").join(page);
    let found = fs::read_to_string(&file).unwrap_or_else(|error| panic!("docs/{page}: {error}"));
    let (open, close) = (format!("<!-- written: {part} -->\n"), "<!-- to here -->");
    let Some((before, rest)) = found.split_once(&open) else { panic!("docs/{page} has no line {open:?}") };
    let Some((there, after)) = rest.split_once(close) else { panic!("docs/{page} has no line {close:?}") };
    let wanted = format!("\n{}\n\n", text.trim());
    if there == wanted {
        return;
    }
    if std::env::var_os("UPDATE_BOOK").is_some_and(|value| value == "1") {
        fs::write(&file, format!("{before}{open}{wanted}{close}{after}")).unwrap();
        return;
    }
    let line = there.lines().zip(wanted.lines()).find(|(there, wanted)| there != wanted);
    let (there, wanted) = line.unwrap_or(("(fewer or more lines)", "(fewer or more lines)"));
    panic!(
        "docs/{page}: the part `{part}` is out of date: it contains\n  {there}\nand the code generates\n  {wanted}\nif the change is intended, UPDATE_BOOK=1 rewrites the part"
    );
}
