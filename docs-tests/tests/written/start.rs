//! Compares `docs/start.md` with the program that it explains: the source, the output and the tests.

use std::fs;
use std::process::Command;

use super::{assert_written, root};

/// The program without the lines that only this workspace needs.
fn program() -> &'static str {
    include_str!("../../src/bin/start.rs").split_once("\n\n").unwrap().1
}

#[test]
fn the_start_page_shows_the_program_and_its_tests() {
    let (program, tests) = program().split_once("#[cfg(test)]").unwrap();
    assert_written("start.md", "program", &format!("```rust\n{}\n```", program.trim()));
    // The last module tests the page, and is not part of it.
    let (tests, _) = tests.split_once("\n/// The failure that").unwrap();
    assert_written("start.md", "tests", &format!("```rust\n#[cfg(test)]{}\n```", tests.trim_end()));
}

#[test]
fn the_start_page_shows_the_output_of_the_program() {
    let output = Command::new(env!("CARGO_BIN_EXE_start")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    docs_tests::assert_shown("start.md", &String::from_utf8(output.stdout).unwrap());
}

#[test]
fn the_start_page_lists_the_tests_that_pass() {
    let page = include_str!("../../../docs/start.md");
    let (shown, _) = program().split_once("\n/// The failure that").unwrap();
    let tests: Vec<&str> = shown.split("#[test]\n    fn ").skip(1).filter_map(|rest| rest.split('(').next()).collect();
    assert_eq!(tests.len(), 3);
    for test in tests {
        assert!(page.contains(&format!("test tests::{test} ... ok")), "{test}");
    }
}

/// The page misspells another option than the program that must not compile.
#[test]
fn the_start_page_shows_the_message_of_the_compiler() {
    let messages = fs::read_to_string(root().join("hooks-derive-tests/tests/ui/fail/filter.stderr")).unwrap();
    let first = messages.lines().next().unwrap().replace("`tol`", "`tols`");
    assert!(first.contains("`tols`"), "{first}");
    let page = include_str!("../../../docs/start.md");
    assert!(page.contains(&format!("\n{first}\n")), "docs/start.md does not show:\n{first}");
}
