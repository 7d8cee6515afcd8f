//! Compares pages with programs: with the lines between the anchors, whose syntax is that of mdBook.

use std::fs;
use std::path::PathBuf;

use super::{assert_written, root};

fn program(name: &str) -> String {
    source(&format!("examples/cookbook/src/bin/{name}.rs"))
}

fn source(file: &str) -> String {
    let file = root().join(file);
    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The lines of a source between `// ANCHOR: name` and its end, as a block without indentation.
fn anchored(source: &str, name: &str) -> String {
    let (open, close) = (format!("// ANCHOR: {name}\n"), format!("// ANCHOR_END: {name}\n"));
    let rest = source.split_once(&open).unwrap_or_else(|| panic!("no anchor `{name}`")).1;
    let (shown, _) = rest.split_once(&close).unwrap_or_else(|| panic!("the anchor `{name}` has no end"));
    let lines = || shown.trim_end().lines();
    let blanks = |line: &str| line.len() - line.trim_start().len();
    let margin = lines().filter(|line| !line.is_empty()).map(blanks).min().unwrap_or(0);
    let text: Vec<&str> = lines().map(|line| line.get(margin..).unwrap_or_default()).collect();
    format!("```rust\n{}\n```", text.join("\n").trim())
}

/// A recipe from its first declaration on: the reader finds the imports in the file.
fn recipe(source: &str) -> String {
    let shown = anchored(source, "hooks").replacen("```rust\n", "", 1);
    let paragraphs = shown.split("\n\n").skip_while(|paragraph| paragraph.starts_with("use "));
    format!("```rust\n{}", paragraphs.collect::<Vec<_>>().join("\n\n"))
}

#[test]
fn the_cookbook_shows_its_programs() {
    let folder = root().join("examples/cookbook/src/bin");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut recipes: Vec<PathBuf> = files.filter(|file| !file.ends_with("own_loop.rs")).collect();
    recipes.sort();
    assert!(recipes.len() > 5, "{recipes:?}");
    for file in recipes {
        let name = file.file_stem().unwrap().to_str().unwrap();
        assert_written("cookbook.md", name, &recipe(&program(name)));
    }
    assert_written("cookbook.md", "approval_web main", &anchored(&program("approval_web"), "main"));
}

#[test]
fn the_chapter_on_own_loops_shows_its_program() {
    let program = program("own_loop");
    for part in ["imports", "agent", "turn", "fires", "audit", "conformance"] {
        assert_written("own-loop.md", &format!("own_loop {part}"), &anchored(&program, part));
    }
}

#[test]
fn the_page_on_existing_agents_shows_the_programs_of_the_adapters() {
    for (part, file, anchor) in [
        ("guard", "adapters/guides/src/lib.rs", "guard"),
        ("async_openai", "adapters/guides/src/bin/async_openai.rs", "tool"),
        ("blocking", "adapters/guides/src/bin/blocking.rs", "tool"),
        ("mcp", "adapters/guides/src/bin/mcp.rs", "tool"),
        ("adk", "adapters/guides/src/bin/adk.rs", "tool"),
        ("rig", "adapters/hooks-rig/examples/guard.rs", "agent"),
    ] {
        assert_written("existing-agents.md", &format!("guides {part}"), &anchored(&source(file), anchor));
    }
}
