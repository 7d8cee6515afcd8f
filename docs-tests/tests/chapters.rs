//! Checks of the whole book: every chapter is in the table of contents, every link has a target, all Rust is compiled,
//! and no example fails open.
#![allow(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests are tests too")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use docs_tests::CHAPTERS;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn docs() -> PathBuf {
    root().join("docs")
}

/// The pages under `docs/`, as relative paths, without the table of contents and the output of mdBook.
fn pages() -> BTreeSet<String> {
    fn collect(folder: &Path, pages: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(docs()).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() && name != "book" {
                collect(&path, pages);
            } else if path.extension().is_some_and(|extension| extension == "md") && name != "SUMMARY.md" {
                pages.insert(name);
            }
        }
    }
    let mut pages = BTreeSet::new();
    collect(&docs(), &mut pages);
    pages
}

fn read(page: &str) -> String {
    fs::read_to_string(docs().join(page)).unwrap_or_else(|error| panic!("docs/{page}: {error}"))
}

/// The lines outside fenced blocks, numbered from 1, with code between backticks replaced.
fn prose(text: &str) -> Vec<(usize, String)> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            let outside: String = line.split('`').step_by(2).collect::<Vec<_>>().join("code");
            lines.push((i + 1, outside));
        }
    }
    lines
}

/// The targets of the links in a text, with their lines.
fn links(text: &str) -> Vec<(usize, String)> {
    let of_line = |(number, line): (usize, String)| {
        let targets = line.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        targets.map(move |(target, _)| (number, target.to_owned())).collect::<Vec<_>>()
    };
    prose(text).into_iter().flat_map(of_line).collect()
}

/// The anchors of a page, as mdBook and code hosts generate them from headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut fenced = false;
    let mut headings = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else if !fenced && line.starts_with('#') {
            headings.push(line.trim_start_matches('#').trim());
        }
    }
    let kept = |c: char| c.is_alphanumeric() || "-_ ".contains(c);
    headings.iter().map(|text| text.to_lowercase().replace(|c| !kept(c), "").replace(' ', "-")).collect()
}

/// `link` relative to `page`, without `..`.
fn resolved(page: &Path, link: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for component in page.parent().unwrap().join(link).components() {
        match component {
            Component::ParentDir => drop(path.pop()),
            other => path.push(other),
        }
    }
    path
}

/// The problems of the links in one file.
fn broken(file: &Path, within: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let mut problems = Vec::new();
    for (line, link) in links(&text) {
        if link.starts_with("https://") {
            continue;
        }
        let (path, anchor) = link.split_once('#').map_or((link.as_str(), None), |(path, anchor)| (path, Some(anchor)));
        let target = if path.is_empty() { file.to_owned() } else { resolved(file, path) };
        let mut problem = |what: &str| problems.push(format!("{}:{line}: `{link}` {what}", file.display()));
        if !target.starts_with(within) {
            problem("leads out of the book");
        } else if !target.exists() {
            problem("leads to a file that does not exist");
        } else if anchor.is_some_and(|anchor| !anchors(&fs::read_to_string(&target).unwrap()).contains(anchor)) {
            problem("leads to a heading that does not exist");
        }
    }
    problems
}

#[test]
fn the_table_of_contents_lists_every_chapter_once() {
    let summary = read("SUMMARY.md");
    let listed: Vec<String> = links(&summary).into_iter().map(|(_, link)| link).collect();
    let once: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(listed.len(), once.len(), "a chapter is listed twice: {listed:?}");
    let there: BTreeSet<String> = pages().into_iter().collect();
    assert_eq!(once, there);
}

#[test]
fn every_link_has_a_target() {
    let mut problems: Vec<String> = pages().iter().flat_map(|page| broken(&docs().join(page), &docs())).collect();
    for page in ["README.md", "CONTRIBUTING.md", "examples/airline-desk/README.md", "examples/memory/README.md"] {
        problems.extend(broken(&root().join(page), &root()));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn all_rust_in_the_book_is_compiled_and_run() {
    let mut problems = Vec::new();
    for page in pages() {
        let mut written = false;
        for (i, line) in read(&page).lines().enumerate() {
            // Generated parts are compiled in their sources.
            written = (written || line.starts_with("<!-- written:")) && line != "<!-- to here -->";
            let Some(words) = line.trim_start().strip_prefix("```").filter(|_| !written) else { continue };
            let mut words = words.split(',');
            if words.next() != Some("rust") {
                continue;
            }
            let place = format!("docs/{page}:{}", i + 1);
            // Both are compiled and run: the first one alone, the second one as a test binary.
            if words.any(|word| !["standalone_crate", "test_harness"].contains(&word)) {
                problems.push(format!("{place}: this Rust is not compiled and run; write `text` if it is not Rust"));
            }
            if !CHAPTERS.contains(&page.as_str()) {
                problems.push(format!("{place}: the chapter is not in `chapters!` in docs-tests/src/lib.rs"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The lines of a table in a manifest, such as `[features]`.
fn table<'a>(manifest: &'a str, name: &str) -> Vec<&'a str> {
    let lines = manifest.lines().skip_while(|line| *line != format!("[{name}]")).skip(1);
    lines.take_while(|line| !line.starts_with('[')).collect()
}

#[test]
fn the_page_of_packages_matches_the_manifests() {
    let page = read("packages.md");
    for workspace in [root(), root().join("adapters")] {
        packages_of(&workspace, &page);
    }
}

fn packages_of(folder: &Path, page: &str) {
    let workspace = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let folder = entry.unwrap().path();
        let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) else { continue };
        let package = table(&manifest, "package");
        if package.is_empty() || package.contains(&"publish = false") {
            continue;
        }
        let name = folder.strip_prefix(root()).unwrap().to_str().unwrap();
        for needed in ["description", "license", "readme", "keywords", "categories"] {
            assert!(package.iter().any(|line| line.starts_with(needed)), "`{name}` has no {needed} for the registry");
        }
        let docs = table(&manifest, "package.metadata.docs.rs");
        assert!(docs.contains(&"all-features = true"), "docs.rs shows `{name}` without its features");
        let row = page.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("docs/packages.md has no row for the folder `{name}`"));
        let version = |lines: Vec<&str>| {
            let line = lines.into_iter().find_map(|line| line.strip_prefix("rust-version = \""))?;
            line.split('"').next().map(str::to_owned)
        };
        let rust = version(package).or_else(|| version(table(&workspace, "workspace.package"))).unwrap();
        assert!(row.ends_with(&format!("| {rust} |")), "`{name}` needs Rust {rust}");
        let features = table(&manifest, "features").into_iter().filter_map(|line| line.split_once(" = "));
        for (feature, _) in features.filter(|(feature, _)| *feature != "default") {
            assert!(row.contains(&format!("`{feature}`")), "`{name}` has the feature `{feature}`");
        }
    }
}

/// The hooks in a text, each as its options and its signature. Comment marks before a line are ignored.
fn hooks(text: &str) -> Vec<(String, String)> {
    let bare = |line: &str| {
        let line = line.trim_start_matches(['/', '!', ' ']);
        format!("{}\n", line.strip_prefix("# ").unwrap_or(line))
    };
    let code: String = text.lines().map(bare).collect();
    let of_hook = |after: &str| {
        let (options, rest) = after.split_once(")]")?;
        let signature = rest.split('{').next()?;
        Some((options.to_owned(), signature.to_owned()))
    };
    code.split("#[hook(").skip(1).filter_map(of_hook).collect()
}

/// The files under a folder whose names have this ending.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let beneath = |path: PathBuf| if path.is_dir() { files(&path, ending) } else { vec![path] };
    let all = fs::read_dir(folder).unwrap().flat_map(|entry| beneath(entry.unwrap().path()));
    all.filter(|path| path.to_str().unwrap().ends_with(ending)).collect()
}

#[test]
fn every_redactor_in_the_examples_sets_on_failure() {
    // `misuse.md` shows code that must not compile.
    let mut shown: Vec<PathBuf> =
        pages().iter().filter(|page| *page != "misuse.md").map(|page| docs().join(page)).collect();
    shown.push(root().join("README.md"));
    for folder in [
        "examples",
        "hooks-agent/src",
        "docs-tests/src",
        "hooks-cli/examples",
        "hooks-core/src",
        "hooks-macros/src",
        "hooks-rules/src",
    ] {
        shown.extend(files(&root().join(folder), ".rs"));
    }
    let redacts = |options: &str| {
        ["redact", "mask", "strip", "scrub", "hide"].iter().any(|word| options.contains(&format!("id = \"{word}")))
    };
    let mut found = 0;
    for file in shown {
        for (options, _) in hooks(&fs::read_to_string(&file).unwrap()) {
            if redacts(&options) {
                found += 1;
                assert!(options.contains("on_failure"), "{}: #[hook({options})] fails open", file.display());
            }
        }
    }
    assert!(found > 10, "{found}");
}

#[test]
fn every_guard_in_the_book_is_tested_with_unreadable_input() {
    let mut found = 0;
    for page in CHAPTERS.iter().filter(|page| **page != "kinds.md") {
        let blocks = read(page);
        let blocks = blocks.split("```rust").skip(1).filter_map(|rest| rest.split("```").next());
        // A block that is not compiled here is written from sources with tests of their own.
        for block in blocks.filter(|block| !block.starts_with(",ignore")) {
            let judges = |(options, signature): &(String, String)| {
                let gate = ["before_tool_call", "permission_request"].iter().any(|kind| options.contains(kind));
                gate && signature.contains("-> ")
                    && signature.replace("mut ", "").split(['(', ' ']).any(|word| word == "input:")
            };
            let guards = hooks(block).iter().filter(|hook| judges(hook)).count();
            found += guards;
            let tried = block.matches("assert_fails_closed").count();
            assert!(
                tried >= guards,
                "docs/{page}: {tried} of {guards} guards are tested with `assert_fails_closed`:\n{block}"
            );
        }
    }
    assert!(found > 8, "{found}");
}

#[test]
fn the_checks_find_hooks_links_and_anchors() {
    let hook = |options: &str, signature: &str| (options.to_owned(), signature.to_owned());
    let shown = "/// #[hook(id = \"mask\")]\n/// fn mask(event: &Stop) {\n# #[hook(id = \"a\")]\n# fn a() {}";
    assert_eq!(hooks(shown), [hook("id = \"mask\"", "\nfn mask(event: &Stop) "), hook("id = \"a\"", "\nfn a() ")]);
    let text = "# A `b`, or c?\n\n[x](y.md#z) and `[no](code.md)`\n```text\n# none\n[no](fenced.md)\n```\n[w](v.md)";
    assert_eq!(links(text), [(3, "y.md#z".to_owned()), (8, "v.md".to_owned())]);
    assert_eq!(anchors(text), BTreeSet::from(["a-b-or-c".to_owned()]));
    assert_eq!(resolved(Path::new("docs/a/b.md"), "../c.md"), Path::new("docs/c.md"));
}
