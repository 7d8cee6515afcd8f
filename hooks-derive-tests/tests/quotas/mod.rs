//! How much of what can be written wrongly is tried: by category, by option, and by how much one compile tells.
//!
//! That each option of the attribute and of a kind says what it takes, the tests of the macros ask of their tables.
#![allow(clippy::unwrap_used)] // helpers of tests say what they expect by unwrapping

mod files;
mod table;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use files::{CATEGORIES, all, category};

const NAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../hooks-macros/src/names.rs");

/// The words of a list in the sources of the macros.
fn words(list: &str) -> BTreeSet<String> {
    let source = fs::read_to_string(NAMES).unwrap();
    let (_, rest) = source.split_once(&format!("const {list}: &[&str] =")).unwrap();
    let (words, _) = rest.split_once("];").unwrap();
    words.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_category_has_its_misuses() {
    let all = all();
    for (title, quota, _) in CATEGORIES {
        let files: Vec<&str> = all.iter().map(|misuse| &*misuse.name).filter(|name| category(name) == *title).collect();
        assert!(files.len() >= *quota, "{title}: {} of {quota}: {files:?}", files.len());
    }
    assert!(all.len() >= 90, "{}", all.len());
}

#[test]
fn several_mistakes_are_told_in_one_compile() {
    let several = all().iter().filter(|misuse| misuse.errors.len() >= 4).count();
    assert!(several >= 10, "{several} files with four errors or more");
}

#[test]
fn every_field_to_filter_by_is_misused() {
    let all = all();
    for field in words("FIELDS") {
        let told = |misuse: &files::Misuse| misuse.errors.iter().any(|error| error.token == field);
        assert!(all.iter().any(told), "no error is at `{field}`");
    }
}

#[test]
fn the_fields_that_the_macros_know_are_those_of_the_built_in_kinds() {
    let kinds = hooks_core::kinds::all();
    let built_in = kinds.iter().filter(|kind| kind.origin.module.starts_with("hooks_core::kinds"));
    let fields: BTreeSet<String> = built_in.flat_map(|kind| kind.fields.iter().copied()).map(str::to_owned).collect();
    assert_eq!(words("FIELDS"), fields);
}

#[test]
fn every_misuse_says_what_it_is_about_in_its_first_line() {
    for misuse in all() {
        assert!(misuse.about.is_some(), "{}: begin with `//! …`", misuse.name);
    }
}

#[test]
fn the_table_of_misuses_is_that_of_the_messages() {
    table::assert_table(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/misuse.md"));
}
