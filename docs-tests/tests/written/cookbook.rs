//! Compares pages with programs: with the lines between the anchors, whose syntax is that of mdBook.

use std::fs;

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

/// A function at the top level, with its comment and attributes.
fn function<'a>(source: &'a str, name: &str) -> &'a str {
    let at = source.find(&format!("fn {name}(")).unwrap_or_else(|| panic!("no function `{name}`"));
    let begin = source[..at].rfind("\n\n").map_or(0, |blank| blank + 2);
    let end = at + source[at..].find("\n}\n").unwrap() + 2;
    &source[begin..end]
}

/// What the page shows of each program: the functions that are about hooks. The rest is in the file.
const RECIPES: &[(&str, &[&str])] = &[
    ("approval_web", &["answer"]),
    ("budget", &["budget_check", "budget_charge"]),
    ("cache_and_retry", &["read_cache", "retry_busy"]),
    ("chat_sse", &["mask_cards"]),
    ("guard_model", &["judge_email"]),
    ("postgres", &["index_messages", "work"]),
    ("tenants", &["limit_refunds", "need_tenant"]),
];

#[test]
fn the_cookbook_shows_its_programs() {
    let folder = root().join("examples/cookbook/src/bin");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut programs: Vec<String> = files.map(|file| file.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    programs.retain(|name| name != "own_loop");
    programs.sort();
    assert_eq!(programs, RECIPES.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for (name, functions) in RECIPES {
        let source = program(name);
        let shown: Vec<&str> = functions.iter().map(|name| function(&source, name)).collect();
        assert_written("cookbook.md", name, &format!("```rust\n{}\n```", shown.join("\n\n")));
    }
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

#[test]
fn the_page_on_models_shows_a_program_with_a_provider() {
    // The book is compiled without the features that it needs; the crate compiles it.
    let shown = anchored(&source("hooks-agent/examples/provider.rs"), "provider");
    assert_written("models-and-tools.md", "provider", &shown.replacen("```rust", "```rust,ignore", 1));
}
