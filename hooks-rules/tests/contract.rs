//! Every row of the contract has a line of data, a named test, or a reason why not.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

use std::collections::BTreeSet;

use crate::support::{data, tables};

/// The sources of all tests of this crate.
fn sources() -> String {
    let folder = format!("{}/tests", env!("CARGO_MANIFEST_DIR"));
    let mut text = String::new();
    let mut folders = vec![std::path::PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                text.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
    }
    text
}

#[test]
fn every_row_of_the_contract_is_covered() {
    let mut lines: BTreeSet<String> = BTreeSet::new();
    for list in ["lines", "refused"] {
        lines.extend(data("matchers.toml", list).iter().map(|line| line[0].as_str().unwrap().to_owned()));
    }
    for line in tables("answers.toml", "lines") {
        lines.extend(line["rows"].as_array().unwrap().iter().map(|row| row.as_str().unwrap().to_owned()));
    }
    let sources = sources();
    let mut missing = Vec::new();
    for row in tables("contract.toml", "rows") {
        let name = row["row"].as_str().unwrap();
        let covered = match (row.get("test"), row.get("elsewhere")) {
            (Some(test), _) => sources.contains(&format!("fn {}(", test.as_str().unwrap())),
            (None, Some(why)) => !why.as_str().unwrap().is_empty(),
            (None, None) => lines.contains(name),
        };
        if !covered {
            missing.push(name.to_owned());
        }
    }
    assert!(missing.is_empty(), "rows without a line: {missing:#?}");
}
