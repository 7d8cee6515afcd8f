//! Every row of the contract has a line of data, a named test, or a reason why there is none.
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

/// What only one dialect has: its name, the variable of its exports, and its fields on stdin.
const OF_ONE_DIALECT: &[&str] = &["Dialect::Claude", "Dialect::Agentao", "\"CLAUDE_ENV_FILE\".to_owned()", "set_flat"];

/// Differences between dialects are in the folder of each. No other code depends on the dialect.
#[test]
fn only_the_folders_of_dialects_depend_on_a_dialect() {
    fn walk(folder: &std::path::Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                walk(&entry, found);
                continue;
            }
            let text = std::fs::read_to_string(&entry).unwrap();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            if code.into_iter().any(|line| OF_ONE_DIALECT.iter().any(|name| line.contains(name))) {
                found.push(entry.display().to_string());
            }
        }
    }
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    walk(&source, &mut found);
    let formats = source.join("formats").display().to_string();
    found.retain(|file| !file.starts_with(&formats));
    assert_eq!(found, [""; 0]);
}
