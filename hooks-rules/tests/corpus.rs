//! Runs the checks of the fuzz targets on their corpus.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

#[path = "../fuzz/checks.rs"]
mod checks;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

fn replay(target: &str, check: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut inputs: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    inputs.sort();
    assert!(inputs.len() >= 100, "{}: {} inputs", folder.display(), inputs.len());
    let fails = |path: &&std::path::PathBuf| {
        let input = std::fs::read(path).unwrap();
        catch_unwind(AssertUnwindSafe(|| check(&input))).is_err()
    };
    let failing: Vec<_> = inputs.iter().filter(fails).collect();
    assert!(failing.is_empty(), "the checks do not hold for {failing:#?}");
}

#[test]
fn files() {
    replay("file", checks::file::check);
}

#[test]
fn matchers() {
    replay("matcher", checks::matcher::check);
}

#[test]
fn answers() {
    replay("answer", checks::answer::check);
}

#[test]
fn lines_of_shell() {
    replay("shell", checks::shell::check);
}
