//! The crates keep to their layers: a top-level module uses only those that stand above it in `lib.rs`, so there is no
//! circle, and a type name stands once in a crate.

mod source;
mod names;
mod uses;
mod order;
mod small_crates;

use std::path::{Path, PathBuf};

use source::Crate;

const CRATES: [&str; 7] =
    ["hooks-macros", "hooks-core", "hooks-agent", "hooks-rules", "hooks-replay", "hooks-store", "hooks-cli"];

/// Crates that do not hold yet. They are read and counted; one that holds is to be taken out.
const PENDING: &[&str] = &[];

/// Names of types that stand twice in a crate, or in two crates, and why they have to.
const ALLOWED: &[(&str, &str)] = &[];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn problems(krate: &Crate) -> Vec<String> {
    let mut found = order::broken(krate);
    found.extend(names::defined_twice(krate));
    not_allowed(found)
}

fn not_allowed(mut found: Vec<String>) -> Vec<String> {
    found.retain(|text| !ALLOWED.iter().any(|(name, _)| text.starts_with(&format!("`{name}` is "))));
    found
}

#[test]
fn a_module_uses_only_those_above_it_and_a_type_name_stands_once() {
    let mut report = Vec::new();
    for name in CRATES {
        let found = problems(&Crate::read(&root(), name));
        match (PENDING.contains(&name), found.is_empty()) {
            (false, true) => {}
            (false, false) => report.push(format!("{name}:\n  - {}", found.join("\n  - "))),
            (true, false) => eprintln!("{name} is pending, with {} problems", found.len()),
            (true, true) => report.push(format!("{name} holds: take it out of `PENDING`")),
        }
    }
    assert!(report.is_empty(), "\n{}\n", report.join("\n\n"));
}

#[test]
fn no_two_crates_that_are_used_together_export_a_type_of_one_name() {
    let crates = CRATES.map(|name| Crate::read(&root(), name));
    let found = not_allowed(names::exported_twice(&crates.iter().collect::<Vec<_>>()));
    assert!(found.is_empty(), "\n  - {}\n", found.join("\n  - "));
}
