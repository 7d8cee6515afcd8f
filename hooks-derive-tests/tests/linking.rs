//! Programs of several crates, in debug and in release with fat LTO: what is linked in, and what is told where it is not.
//!
//! Built from a copy of `fixtures/linking` in the target directory, with the versions of this workspace's own lock file, so
//! that nothing is fetched that the workspace has not fetched already.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests say what they expect by unwrapping

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

const HERE: &str = env!("CARGO_MANIFEST_DIR");
const PROFILES: [&[&str]; 2] = [&[], &["--release"]];

/// The copy, made once.
fn workspace() -> &'static Path {
    static COPY: OnceLock<PathBuf> = OnceLock::new();
    COPY.get_or_init(|| {
        let (from, to) =
            (Path::new(HERE).join("fixtures/linking"), Path::new(env!("CARGO_TARGET_TMPDIR")).join("linking"));
        copy(&from, &to);
        let manifest = fs::read_to_string(from.join("Cargo.toml")).unwrap();
        let core = Path::new(HERE).parent().unwrap().join("hooks-core");
        let core = format!("path = {:?}", core.to_str().unwrap());
        let moved = manifest.replace("path = \"../../../hooks-core\"", &core);
        assert_ne!(moved, manifest, "the path of hooks-core was to be another");
        fs::write(to.join("Cargo.toml"), moved).unwrap();
        fs::copy(Path::new(HERE).join("../Cargo.lock"), to.join("Cargo.lock")).unwrap();
        to
    })
}

/// What is written anew only where it differs, so that a second run builds nothing.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            let text = fs::read(entry.path()).unwrap();
            if fs::read(&target).ok().as_deref() != Some(&text) {
                fs::write(target, text).unwrap();
            }
        }
    }
}

fn cargo(arguments: &[&str]) -> Output {
    let workspace = workspace();
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(workspace).args(arguments).args(["--offline", "--quiet", "--color", "never"]);
    // The target directory of this workspace: what it has built in debug is there.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    cargo.env("CARGO_TARGET_DIR", target).env_remove("CARGO_BUILD_TARGET");
    cargo.output().unwrap()
}

/// What a program of the fixture prints, in each profile.
fn printed(arguments: &[&str]) -> [String; 2] {
    PROFILES.map(|profile| {
        let output = cargo(&[&["run"], arguments, profile].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    })
}

#[test]
fn an_id_of_two_crates_is_told_with_both_places() {
    for told in printed(&["-p", "linking-both"]) {
        assert!(told.contains("two hooks have the id `redact_pii`"), "{told}");
        assert!(told.contains("left/src/lib.rs:6") && told.contains("right/src/lib.rs:6"), "{told}");
    }
}

#[test]
fn an_id_of_one_crate_twice_does_not_build_where_there_is_setup() {
    let output = cargo(&["check", "-p", "linking-twice"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "it builds");
    assert!(told.contains("duplicate definitions with name `redact_pii`"), "{told}");
    assert!(told.contains("twice/src/lib.rs:10:") && told.contains("19 |"), "{told}");
}

#[test]
fn a_library_with_setup_can_be_imported_whole() {
    let output = cargo(&["check", "-p", "linking-globs"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_dependency_that_nothing_names_is_not_linked_and_the_error_says_what_to_write() {
    for told in printed(&["-p", "linking-desk"]) {
        for id in ["shout", "insist"] {
            assert!(told.contains(&format!("names the hook `{id}`, which is not there")), "{told}");
        }
        assert!(told.contains("write `use that_crate as _;`"), "{told}");
        assert!(told.contains("desk.json:1:"), "{told}");
    }
}

#[test]
fn one_line_that_names_it_brings_its_hooks() {
    for told in printed(&["-p", "linking-desk", "--features", "named"]) {
        assert!(told.contains("shout") && told.contains("insist") && !told.contains("not there"), "{told}");
    }
}
