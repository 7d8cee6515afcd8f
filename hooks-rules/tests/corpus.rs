//! Runs the checks of the fuzz targets on their corpus.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

#[path = "../fuzz/checks.rs"]
mod checks;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Runs `check` on every input that `fuzz/pack` packed, of which there are at least so many.
fn replay(target: &str, at_least: usize, check: fn(&[u8])) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target).with_extension("txt");
    let packed = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = packed.lines().collect();
    assert!(lines.len() >= at_least, "{}: {} inputs", file.display(), lines.len());
    let fails = |line: &&&str| {
        let input = unescape(line);
        catch_unwind(AssertUnwindSafe(|| check(&input))).is_err()
    };
    let failing: Vec<_> = lines.iter().filter(fails).collect();
    assert!(failing.is_empty(), "the checks do not hold for {failing:#?}");
}

/// The bytes of an input: `\\`, `\n`, `\r`, `\t` and `\xff` stand for a byte each.
fn unescape(line: &str) -> Vec<u8> {
    let mut input = Vec::new();
    let mut rest = line;
    while let Some((plain, escaped)) = rest.split_once('\\') {
        input.extend_from_slice(plain.as_bytes());
        let (byte, length) = match escaped.as_bytes() {
            [b'\\', ..] => (b'\\', 1),
            [b'n', ..] => (b'\n', 1),
            [b'r', ..] => (b'\r', 1),
            [b't', ..] => (b'\t', 1),
            [b'x', _, _, ..] => (u8::from_str_radix(&escaped[1..3], 16).unwrap(), 3),
            _ => panic!("no escape is written like this: \\{escaped}"),
        };
        input.push(byte);
        rest = &escaped[length..];
    }
    input.extend_from_slice(rest.as_bytes());
    input
}

#[test]
fn an_input_is_read_as_it_was_packed() {
    assert_eq!(unescape(r"a\\n\n\r\t\x00\xff'"), b"a\\n\n\r\t\x00\xff'");
}

#[test]
fn files() {
    replay("file", 450, checks::file::check);
}

#[test]
fn matchers() {
    replay("matcher", 1_600, checks::matcher::check);
}

#[test]
fn answers() {
    replay("answer", 1_000, checks::answer::check);
}

#[test]
fn lines_of_shell() {
    replay("shell", 130, checks::shell::check);
}
