//! The tables of options. The macros contain them, and their own tests compare these tables with the parser.

use std::fs;

use super::{assert_written, root};

#[test]
fn the_tables_of_options_match_those_of_the_macros() {
    for (page, macro_of) in [("writing-hooks.md", "hook"), ("own-kinds.md", "derive")] {
        let table = root().join("hooks-macros/src").join(macro_of).join("options.md");
        assert_written(page, "options", &fs::read_to_string(table).unwrap());
    }
}
