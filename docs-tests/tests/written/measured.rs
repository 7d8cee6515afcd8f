//! The figures on the pages: which engine they are of, and those that several pages repeat.
//!
//! `benchmarks/run` and `benchmarks/dispatch` record the commit that they measured and a hash of the engine's sources. A page
//! says so where the sources have changed since, so an edit of the engine asks for the generated sentence, not for a new run. A
//! release asks for the run: `scripts/release` fails where a page shows another engine than the released one.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{assert_written, root};

const SOURCES: [&str; 2] = ["hooks-core/src", "hooks-macros/src"];

#[derive(Deserialize)]
struct Engine {
    commit: String,
    /// What [`hash_of_sources`] was.
    sources: String,
}

/// What `cargo bench -p hook-sdk` printed.
#[derive(Deserialize)]
struct Dispatch {
    engine: Engine,
    date: String,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Dispatch {
    fn read() -> Self {
        serde_json::from_value(json("dispatch.json")).unwrap()
    }

    fn row(&self, name: &str) -> &[String] {
        let found = self.rows.iter().find(|row| row[0].starts_with(name));
        found.unwrap_or_else(|| panic!("benchmarks/dispatch.json has no row `{name}`"))
    }

    /// The time of the engine.
    fn ours(&self, name: &str) -> &str {
        &self.row(name)[1]
    }
}

fn json(file: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(root().join("benchmarks").join(file)).unwrap()).unwrap()
}

/// `sources` in `benchmarks/runner/engine.py` computes the same.
fn hash_of_sources() -> String {
    let mut files = Vec::new();
    for folder in SOURCES {
        collect(&root(), &root().join(folder), &mut files);
    }
    files.sort();
    let mut digest = Sha256::new();
    for name in files {
        let text = fs::read(root().join(&name)).unwrap();
        digest.update(format!("{name}\n{}\n", text.len()));
        digest.update(text);
    }
    format!("{:x}", digest.finalize())
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/"));
        }
    }
}

/// The sentence that says which engine was measured.
fn of(engine: &Engine, date: &str, sources: &str) -> String {
    let since = if engine.sources == sources { "" } else { " The engine has changed since." };
    format!("Measured at commit `{}` on {date}.{since}", engine.commit)
}

#[test]
fn a_page_says_where_the_engine_has_changed_since_it_was_measured() {
    let engine = |sources: &str| Engine { commit: "0123abc".into(), sources: sources.into() };
    assert_eq!(of(&engine("a"), "2026-01-01", "a"), "Measured at commit `0123abc` on 2026-01-01.");
    let changed = "Measured at commit `0123abc` on 2026-01-01. The engine has changed since.";
    assert_eq!(of(&engine("a"), "2026-01-01", "b"), changed);
}

#[test]
#[ignore = "part of the checks of a release: measuring needs an idle machine"]
fn the_figures_are_of_this_engine() {
    let engines = [
        ("benchmarks/run", Engine::deserialize(&json("results.json")["engine"]).unwrap()),
        ("benchmarks/dispatch", Dispatch::read().engine),
    ];
    let sources = hash_of_sources();
    let old: Vec<_> = engines.iter().filter(|(_, engine)| engine.sources != sources).collect();
    let old: Vec<_> = old
        .iter()
        .map(|(run, engine)| format!("`{run}` measured commit `{}`; the engine has changed since", engine.commit))
        .collect();
    assert!(old.is_empty(), "measure again on an idle machine:\n  - {}", old.join("\n  - "));
}

#[test]
fn the_comparison_names_the_engine_that_it_measured() {
    let results = json("results.json");
    let engine = Engine::deserialize(&results["engine"]).unwrap();
    let date = results["ended"].as_str().unwrap().split(' ').next().unwrap();
    assert_written("benchmarks.md", "measured", &of(&engine, date, &hash_of_sources()));
    // Written by the run itself.
    let page = fs::read_to_string(root().join("benchmarks/RESULTS.md")).unwrap();
    assert!(page.contains(&format!("- Engine: commit `{}`", engine.commit)), "RESULTS.md is of another run");
}

#[test]
fn the_page_on_performance_shows_what_a_dispatch_costs() {
    let table = Dispatch::read();
    // The floor, the goal and the allocations are in the output of the bench.
    let shown = [0, 1, 3, 4];
    let line = |cells: &[String]| format!("| {} |\n", shown.map(|column| cells[column].as_str()).join(" | "));
    let rows: String = table.rows.iter().map(|row| line(row)).collect();
    let missed: Vec<&str> =
        table.rows.iter().filter(|row| row[4].contains("MISSED")).map(|row| row[0].as_str()).collect();
    let missed = match &missed[..] {
        [] => "Every row is within its budget.".to_owned(),
        [one] => format!("One row misses its budget: *{one}*."),
        many => format!("{} rows miss their budgets: *{}*.", many.len(), many.join("*; *")),
    };
    let rule = format!("|{}\n", "---|".repeat(shown.len()));
    let measured = of(&table.engine, &table.date, &hash_of_sources());
    let text = format!("{measured}\n\n{}{rule}{rows}\n{missed}", line(&table.columns));
    assert_written("performance.md", "dispatch", &text);
}

#[test]
fn the_readme_repeats_the_costs() {
    let table = Dispatch::read();
    let idle = ["8 sync hooks that read", "8 sync hooks with &mut", "8 sync hooks by value", "8 sync gates"];
    let mut ratios = idle.map(|name| table.row(name)[3].trim_end_matches('x').parse::<f64>().unwrap());
    ratios.sort_by(f64::total_cmp);
    let text = format!(
        "**Hooks are cheap.** A point without hooks costs {}. Eight hooks that are plain functions take {:.1} to {:.1} times as long\n\
         as eight direct calls of these functions ([measurements](docs/performance.md#costs), with the budgets that they miss).\n{}",
        table.ours("a kind nobody hooks, sync"),
        ratios[0],
        ratios[3],
        of(&table.engine, &table.date, &hash_of_sources()),
    );
    assert_written("../README.md", "costs", &text);
}
