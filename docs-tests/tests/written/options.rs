//! The options of `#[hook]`. Their table is in the documentation of the macro, whose own tests compare it with the parser.

use std::fs;

use super::root;

#[test]
fn the_page_on_hooks_says_what_each_option_is_for() {
    let page = fs::read_to_string(root().join("docs/writing-hooks.md")).unwrap();
    let table = page.split("| Option | For |").nth(1).unwrap().split("\n\n").next().unwrap();
    let options = fs::read_to_string(root().join("hooks-macros/src/hook/options.md")).unwrap();
    let names = options.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let missing: Vec<&str> = names.filter(|name| !table.contains(&format!("`{name}`"))).collect();
    assert!(missing.is_empty(), "docs/writing-hooks.md does not name the options {missing:?}");
}
