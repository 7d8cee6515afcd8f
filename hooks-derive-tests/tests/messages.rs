//! Code that must not compile, one file per misuse in `ui/fail`, and the messages of the compiler: those of the toolchain that
//! the workspace is developed with.
//!
//! Rules for every message: it points exactly at the wrong token. It does not mention internal names that the
//! user has not written. It does not depend on line numbers in the core or in `std`.
//!
//! A line `//~  ^^^^` in a source marks the tokens in the line above that have an error, one mark per error.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests unwrap to assert

use std::fs;
use std::path::{Path, PathBuf};

/// Parts of the implementation, which do not help the user.
const INTERNAL: &[&str] =
    &["__private", "__hook_sdk", "__HookSdk", "__HOOK_SDK", "__INVENTORY", "inventory", "hook_id_"];

/// Places outside the user's file. They depend on `rust-src`, and change with every line that moves in the core.
const FOREIGN: &[&str] = &["$RUST", "$WORKSPACE", "$CARGO", "/rustc/", "hooks-core/src", "hooks-macros/src"];

/// The place of an error: line and column from 1, and width.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Token {
    line: usize,
    column: usize,
    width: usize,
}

/// `TRYBUILD=overwrite` rewrites the messages.
#[test]
fn compile_fail_with_the_message() {
    trybuild::TestCases::new().compile_fail("tests/ui/fail/*.rs");
}

fn sources() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui/fail");
    let mut sources: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    sources.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
    sources.sort();
    sources
}

/// The runs of `^` in a line.
fn carets(line: &str) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (i, _) in line.chars().enumerate().filter(|(_, c)| *c == '^') {
        match runs.last_mut() {
            Some((start, width)) if *start + *width == i => *width += 1,
            _ => runs.push((i, 1)),
        }
    }
    runs
}

/// The tokens that the source marks.
fn marked(source: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut code = 0;
    for (i, line) in source.lines().enumerate() {
        if line.starts_with("//~") {
            tokens.extend(carets(line).into_iter().map(|(at, width)| Token { line: code, column: at + 1, width }));
        } else {
            code = i + 1;
        }
    }
    tokens.sort();
    tokens
}

/// The tokens that the errors point at.
fn reported(stderr: &str) -> Vec<Token> {
    let lines: Vec<&str> = stderr.lines().collect();
    let heads = (0..lines.len()).filter(|i| lines[*i].starts_with("error"));
    let mut tokens: Vec<Token> = heads
        .map(|head| {
            let place =
                lines[head + 1].rsplit(':').take(2).map(|number| number.parse().unwrap()).collect::<Vec<usize>>();
            let [column, line] = place[..] else { panic!("no place: {}", lines[head + 1]) };
            let code = (head..lines.len()).find(|i| lines[*i].trim_start().starts_with(&format!("{line} |"))).unwrap();
            let gutter = lines[code].find('|').unwrap() + 2;
            let under = lines[code + 1].chars().skip(gutter).collect::<String>();
            let width = carets(&under).into_iter().find(|(at, _)| at + 1 == column).map_or(0, |(_, width)| width);
            Token { line, column, width }
        })
        .collect();
    tokens.sort();
    tokens
}

/// The errors that a file is expected to have.
pub(crate) fn expected(path: &Path) -> String {
    let path = path.with_extension("stderr");
    fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!("{}: {error}; `TRYBUILD=overwrite cargo test -p hooks-derive-tests` writes it", path.display())
    })
}

#[test]
fn every_error_points_exactly_at_its_marked_token() {
    for path in sources() {
        let source = fs::read_to_string(&path).unwrap();
        let stderr = expected(&path);
        assert!(!marked(&source).is_empty(), "{}: nothing is marked", path.display());
        assert_eq!(reported(&stderr), marked(&source), "{}: errors (left) and marks (right)", path.display());
    }
}

#[test]
fn no_message_mentions_the_implementation_or_a_place_outside_the_users_file() {
    for path in sources() {
        let stderr = expected(&path);
        for line in stderr.lines() {
            let is_code = line.split_once('|').is_some_and(|(number, _)| number.trim().parse::<usize>().is_ok());
            for word in INTERNAL.iter().chain(FOREIGN) {
                assert!(is_code || !line.contains(word), "{}: `{word}` in: {line}", path.display());
            }
            assert!(!line.starts_with("warning"), "{}: {line}", path.display());
        }
    }
}

/// The traits that are in the documentation, according to the sources of the public modules.
fn documented_traits() -> Vec<String> {
    let core = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hooks-core/src");
    for (parent, module) in [("lib.rs", "signature"), ("kind.rs", "bounds"), ("verdict.rs", "rule")] {
        let source = fs::read_to_string(core.join(parent)).unwrap();
        assert!(source.contains(&format!("\npub mod {module};")), "{parent} has no public `{module}`");
        assert!(!source.contains(&format!("#[doc(hidden)]\npub mod {module};")), "{parent} hides `{module}`");
    }
    let files = [
        "signature.rs",
        "signature/detached.rs",
        "signature/fallback.rs",
        "signature/group.rs",
        "kind/bounds.rs",
        "verdict/rule.rs",
    ];
    let source: String = files.map(|file| fs::read_to_string(core.join(file)).unwrap()).concat();
    let lines: Vec<&str> = source.lines().collect();
    let traits = lines
        .windows(2)
        .filter(|pair| pair[0] != "#[doc(hidden)]")
        .filter_map(|pair| pair[1].strip_prefix("pub trait "));
    traits.map(|rest| rest.chars().take_while(char::is_ascii_alphanumeric).collect()).collect()
}

#[test]
fn every_trait_in_a_help_line_is_documented() {
    let documented = documented_traits();
    for path in sources() {
        let stderr = expected(&path);
        for line in stderr.lines().filter(|line| line.contains("help: ")) {
            let Some((_, rest)) = line.split_once("the trait `") else { continue };
            let name = rest.split(['`', '<']).next().unwrap().rsplit("::").next().unwrap();
            let is_known = ["Future", "Send"].contains(&name) || documented.iter().any(|known| known == name);
            assert!(is_known, "{}: `{name}` is not documented: {line}", path.display());
        }
    }
}

/// Parts of the first lines of errors that come from the compiler and not from the macros.
const WORDED_BY_RUSTC: &[&str] = &[
    "cannot find",
    "duplicate definitions",
    "no field",
    "mismatched types",
    "future cannot be sent",
    "function `hidden` is private",
    "items in this context",
    "C-variadic functions are unstable",
];

#[test]
fn every_message_is_one_sentence_in_lower_case() {
    for path in sources() {
        let stderr = expected(&path);
        for line in stderr.lines().filter(|line| line.starts_with("error")) {
            let text = line.split_once(": ").unwrap().1.trim_start_matches("evaluation panicked: ");
            if WORDED_BY_RUSTC.iter().any(|words| text.contains(words)) {
                continue;
            }
            let first = text.chars().next().unwrap();
            assert!(first == '`' || first.is_lowercase(), "{}: {text}", path.display());
            let in_words: String = text.split('`').step_by(2).collect();
            assert!(!in_words.contains(". ") && !in_words.ends_with('.'), "{}: {text}", path.display());
        }
    }
}
