//! Names from other systems: `docs/names.md`, and the tables in the chapters of `docs/coming-from/`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::source::pairs;
use super::{assert_written, root};

#[test]
fn the_page_of_names_lists_the_names_that_the_macros_know() {
    let row = |(here, names): (String, String)| {
        let names: Vec<String> = names.split_whitespace().map(|name| format!("`{name}`")).collect();
        format!("| `{here}` | {} |", names.join(", "))
    };
    let with_names = pairs("KINDS").into_iter().filter(|(_, names)| !names.is_empty());
    let rows: Vec<String> = with_names.map(row).collect();
    assert_written("names.md", "names", &format!("| Here | Elsewhere |\n|---|---|\n{}", rows.join("\n")));
}

/// That the guards fail closed is tested where they are.
#[test]
fn the_page_of_hosts_shows_what_a_new_crate_has() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("my-guards");
    hooks_hosts::scaffold(&folder, Some(Path::new("../hook-sdk"))).unwrap();
    let file = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let (manifest, main, guards) = (file("Cargo.toml"), file("src/main.rs"), file("src/guards.rs"));
    let part = |from: &str, to: &str| {
        let (_, rest) = guards.split_once(from).unwrap();
        format!("{from}{}", rest.split_once(to).unwrap().0)
    };
    let manifest = manifest.split("\n\n#").next().unwrap();
    let (_, main) = main.split_once("\n\n").unwrap();
    let head = part("use hook_sdk::prelude", "#[derive(Deserialize)]\nstruct File");
    let guard = part("/// Pushes are made by people", "/// A person sees a change");
    let test = part("#[cfg(test)]", "    #[test]\n    fn codex");
    let shown = [
        format!("```toml\n{manifest}\n```\n\n`src/main.rs`:"),
        format!("```rust,ignore\n{main}```\n\n`src/guards.rs`, with a test of a real Claude Code payload:"),
        format!("```rust,ignore\n{head}{guard}{}\n}}\n```", test.trim_end()),
    ];
    assert_written("hosts.md", "new", &shown.join("\n\n"));
}

/// The words between backticks in a cell.
fn words(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
}

/// If the compiler suggests a kind for a foreign name, the chapter has to name the same kind.
#[test]
fn the_tables_of_foreign_names_agree_with_the_macros() {
    let ours: BTreeSet<String> = pairs("KINDS").into_iter().map(|(name, _)| name).collect();
    let of_kind = |(here, names): (String, String)| -> Vec<(String, String)> {
        names.split_whitespace().map(|name| (name.to_owned(), here.clone())).collect()
    };
    let theirs: BTreeMap<String, String> = pairs("KINDS").into_iter().flat_map(of_kind).collect();
    let mut answered = 0;
    for entry in fs::read_dir(root().join("docs/coming-from")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let tables: Vec<&str> = text.split("| There | Here | Differs |").skip(1).collect();
        assert!(!tables.is_empty(), "{}: no table", path.display());
        let rows = tables.iter().flat_map(|table| table.lines().skip(2).take_while(|line| line.starts_with('|')));
        for row in rows {
            let cells: Vec<&str> = row.split('|').collect();
            let (there, here) = (words(cells[1]), words(cells[2]));
            for name in there {
                let known = theirs.get(&plain(name));
                let wrong = known.filter(|known| !here.contains(&known.as_str()));
                assert!(wrong.is_none(), "{}: the compiler suggests {wrong:?} for `{name}`: {row}", path.display());
                answered += usize::from(known.is_some());
            }
            // The cells also contain options and methods, such as `on_failure = deny` and `.suppress_output()`.
            let is_name = |word: &str| word.contains('_') && word.chars().all(|c| c == '_' || c.is_ascii_lowercase());
            for kind in here.iter().filter(|word| is_name(word)) {
                assert!(ours.contains(*kind), "{}: `{kind}` is not a kind: {row}", path.display());
            }
        }
    }
    assert!(answered > 20, "the tables were not read");
}
