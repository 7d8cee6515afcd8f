//! The tables of options against what the macros read.

use std::collections::BTreeSet;
use std::fs;

use super::root;
use super::source::words;

/// The options in the first cells of the table that begins with `head`; a cell may hold several.
fn shown(page: &str, head: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("docs").join(page)).unwrap();
    let table = text.split(head).nth(1).unwrap_or_else(|| panic!("docs/{page} has no table {head}"));
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let options = |row: &str| {
        let cell = row.split('|').nth(1).unwrap().to_owned();
        let written = cell.split('`').skip(1).step_by(2).map(|code| code.split(['(', ' ']).next().unwrap().to_owned());
        written.collect::<Vec<_>>()
    };
    rows.flat_map(options).collect()
}

#[test]
fn the_options_of_hook_are_those_of_the_macro() {
    // A field of the kind stands in the table by its commonest example.
    let known: BTreeSet<String> = words("HOOK_OPTIONS").into_iter().chain(["tool".to_owned()]).collect();
    assert_eq!(shown("writing-hooks.md", "| Option | Meaning | Default |"), known, "a row per option, please");
}

#[test]
fn the_options_of_hook_kind_are_those_of_the_macro() {
    let known: BTreeSet<String> = words("KIND_OPTIONS").into_iter().collect();
    let shown = shown("own-kinds.md", "| Option of `#[hook_kind(…)]` | Meaning | Default |");
    assert_eq!(shown, known, "a row per option, please");
}
