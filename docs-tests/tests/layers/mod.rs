//! The crates keep to their layers: a top-level module uses only modules that are above it in `lib.rs`, so there are no
//! cycles; what a macro emits is above the modules that use the macro; no more than two files use each other; and a type name
//! exists only once in a crate, and once among all that the crates export.

mod source;
mod names;
mod uses;
mod resolve;
mod order;
mod circles;
mod emitted;
mod oldest;
mod small_crates;

use std::path::{Path, PathBuf};

use source::Crate;

const CRATES: [&str; 17] = [
    "hooks-macros",
    "hooks-core",
    "hooks-agent",
    "hooks-rules",
    "hooks-secrets",
    "hooks-prebuilt",
    "hooks-hosts",
    "hooks-replay",
    "hooks-store",
    "hooks-inspect",
    "hooks-otel",
    "hooks-cli",
    "hooks-conformance",
    "adapters/hooks-mcp",
    "adapters/hooks-mcp-guard",
    "adapters/hooks-nats",
    "adapters/hooks-rig",
];

/// Crates that only test others.
const TESTS: [&str; 1] = ["hooks-derive-tests"];

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
fn every_crate_of_the_project_is_checked() {
    let mut found = Vec::new();
    for folder in ["", "adapters/"] {
        let entries = std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap());
        let crates = entries
            .filter(|entry| entry.path().join("src/lib.rs").exists() || entry.path().join("src/main.rs").exists());
        found.extend(crates.map(|entry| format!("{folder}{}", entry.file_name().to_string_lossy())));
    }
    found.retain(|name| name.contains("hooks-") && !TESTS.contains(&&**name));
    found.sort_unstable();
    let mut checked = CRATES.map(str::to_owned);
    checked.sort_unstable();
    assert_eq!(found, checked);
}

#[test]
fn crates_for_rust_1_85_have_no_chains_of_let() {
    let workspace = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(workspace.contains("\nrust-version = \"1.85\"\n"));
    let of_workspace = |name: &&&str| {
        let manifest = std::fs::read_to_string(root().join(name).join("Cargo.toml")).unwrap();
        !name.contains('/') && manifest.contains("rust-version.workspace = true")
    };
    let oldest: Vec<Crate> = CRATES.iter().filter(of_workspace).map(|name| Crate::read(&root(), name)).collect();
    assert!(oldest.len() > 4);
    let found: Vec<String> = oldest.iter().flat_map(oldest::chains_of_let).collect();
    assert!(found.is_empty(), "`if let … && …` needs Rust 1.88:\n{}", found.join("\n"));
}

#[test]
fn a_module_uses_only_modules_above_it_and_type_names_are_unique() {
    let mut report = Vec::new();
    for name in CRATES {
        let found = problems(&Crate::read(&root(), name));
        if !found.is_empty() {
            report.push(format!("{name}:\n  - {}", found.join("\n  - ")));
        }
    }
    assert!(report.is_empty(), "\n{}\n", report.join("\n\n"));
}

/// Folders in which files still use each other.
const PENDING_CIRCLES: &[&str] = &[];

/// What macros still emit from below.
const PENDING_MACROS: &[&str] = &[];

/// Removes what is pending. What is listed as pending and was not found has to be removed from the list.
fn without_pending(mut found: Vec<String>, pending: &[&str], is: impl Fn(&str, &str) -> bool) -> Vec<String> {
    let gone = pending.iter().filter(|listed| !found.iter().any(|text| is(text, listed)));
    let gone: Vec<_> = gone.map(|listed| format!("{listed:?} passes: remove it from the pending ones")).collect();
    found.retain(|text| !pending.iter().any(|listed| is(text, listed)));
    found.extend(gone);
    found
}

#[test]
fn files_of_a_crate_do_not_use_each_other_in_circles() {
    let crates = CRATES.map(|name| Crate::read(&root(), name));
    let circles: Vec<_> = crates.iter().flat_map(circles::circles).collect();
    let drawn = circles.iter().map(circles::Circle::draw).collect();
    let found = without_pending(drawn, PENDING_CIRCLES, |text, folder| {
        circles.iter().any(|circle| circle.draw() == text && circle.files.iter().all(|file| file.starts_with(folder)))
    });
    assert!(found.is_empty(), "\n  - {}\n", found.join("\n  - "));
}

#[test]
fn what_a_macro_emits_is_above_its_user() {
    let found = emitted::below(&Crate::read(&root(), "hooks-core"), &Crate::read(&root(), "hooks-macros"));
    let found = without_pending(found, PENDING_MACROS, |text, start| text.starts_with(start));
    assert!(found.is_empty(), "\n  - {}\n", found.join("\n  - "));
}

#[test]
fn no_two_crates_export_types_with_the_same_name() {
    let crates = CRATES.map(|name| Crate::read(&root(), name));
    let found = not_allowed(names::exported_twice(&crates.iter().collect::<Vec<_>>()));
    assert!(found.is_empty(), "\n  - {}\n", found.join("\n  - "));
}
