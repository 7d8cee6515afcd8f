//! The crates keep to their layers: a top-level module uses only modules that are above it in `lib.rs`, so there are no
//! cycles, and a type name exists only once in a crate.

mod source;
mod names;
mod uses;
mod order;
mod small_crates;

use std::path::{Path, PathBuf};

use source::Crate;

const CRATES: [&str; 7] =
    ["hooks-macros", "hooks-core", "hooks-agent", "hooks-rules", "hooks-replay", "hooks-store", "hooks-cli"];

/// Crates that do not pass yet. Their problems are counted. A crate that passes has to be removed from the list.
const PENDING: &[&str] = &[];

/// Type names that may exist twice in a crate, or in two crates, each with the reason.
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
fn a_module_uses_only_modules_above_it_and_type_names_are_unique() {
    let mut report = Vec::new();
    for name in CRATES {
        let found = problems(&Crate::read(&root(), name));
        match (PENDING.contains(&name), found.is_empty()) {
            (false, true) => {}
            (false, false) => report.push(format!("{name}:\n  - {}", found.join("\n  - "))),
            (true, false) => eprintln!("{name} is pending, with {} problems", found.len()),
            (true, true) => report.push(format!("{name} passes: remove it from `PENDING`")),
        }
    }
    assert!(report.is_empty(), "\n{}\n", report.join("\n\n"));
}

#[test]
fn no_two_crates_export_types_with_the_same_name() {
    let crates = CRATES.map(|name| Crate::read(&root(), name));
    let found = not_allowed(names::exported_twice(&crates.iter().collect::<Vec<_>>()));
    assert!(found.is_empty(), "\n  - {}\n", found.join("\n  - "));
}
