//! Minimum numbers of tested misuses: by category, by option, and by the errors of one build.
//!
//! The tests of the macros check that each option has a message about its values.
#![allow(clippy::unwrap_used)] // helpers of tests unwrap to assert

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
fn every_category_has_enough_misuses() {
    let all = all();
    for (title, quota, _) in CATEGORIES {
        let files: Vec<&str> = all.iter().map(|misuse| &*misuse.name).filter(|name| category(name) == *title).collect();
        assert!(files.len() >= *quota, "{title}: {} of {quota}: {files:?}", files.len());
    }
    assert!(all.len() >= 90, "{}", all.len());
}

#[test]
fn one_build_reports_several_mistakes() {
    let several = all().iter().filter(|misuse| misuse.errors.len() >= 4).count();
    assert!(several >= 10, "{several} files with four errors or more");
}

#[test]
fn every_filter_field_has_a_misuse() {
    let all = all();
    for field in words("FIELDS") {
        let reported = |misuse: &files::Misuse| misuse.errors.iter().any(|error| error.token == field);
        assert!(all.iter().any(reported), "no error points at `{field}`");
    }
}

#[test]
fn the_macros_know_the_fields_of_the_built_in_kinds() {
    let kinds = hook_sdk::kinds::all();
    let built_in = kinds.iter().filter(|kind| kind.origin.module.starts_with("hook_sdk::kinds"));
    let fields: BTreeSet<String> = built_in.flat_map(|kind| kind.fields.iter().copied()).map(str::to_owned).collect();
    assert_eq!(words("FIELDS"), fields);
}

#[test]
fn the_first_line_of_every_misuse_states_its_topic() {
    for misuse in all() {
        assert!(misuse.about.is_some(), "{}: begin with `//! …`", misuse.name);
    }
}

#[test]
fn the_page_of_misuses_matches_the_messages() {
    table::assert_table(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/misuse.md"));
}
