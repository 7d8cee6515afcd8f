//! Cases by number: those in `testdata/cases/*.toml` run here, and `docs/conformance.md` has a row for each there is.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

mod case;
mod expect;
mod hooks;
mod in_code;
mod itself;
mod points;
mod run;
mod table;

use expect::report;

#[test]
fn every_case_is_as_it_says() {
    hooks_core::quiet_panics();
    let files = case::files();
    let wrong: Vec<String> =
        files.iter().flat_map(|file| file.cases.iter().flat_map(|case| report(&file.name, case))).collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    assert!(files.iter().map(|file| file.cases.len()).sum::<usize>() > 100, "the cases are there");
}
