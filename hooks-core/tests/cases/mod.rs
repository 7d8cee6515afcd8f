//! Numbered cases. Those in `testdata/cases/*.toml` run here. `cases.md` beside them has a row for each number.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

mod case;
mod expect;
mod hooks;
mod in_code;
mod runner;
mod points;
mod run;
mod table;

use expect::report;

#[test]
fn every_case_has_its_expected_outcome() {
    hook_sdk::quiet_panics();
    let files = case::files();
    let wrong: Vec<String> =
        files.iter().flat_map(|file| file.cases.iter().flat_map(|case| report(&file.name, case))).collect();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
    assert!(files.iter().map(|file| file.cases.len()).sum::<usize>() > 100, "all cases were found");
}
