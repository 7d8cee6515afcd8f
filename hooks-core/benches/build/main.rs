//! What a hook costs when it is compiled: a program of 100 hooks, built for debugging and linked, against the same program
//! whose 100 functions are called by hand. The dependencies of both are built before.
//!
//! `cargo bench -p hook-sdk --bench build` prints the row.

// A benchmark that is wrong stops.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const FUNCTIONS: usize = 100;
const PAIRS: usize = 7;
const BUDGET: f64 = 2.0;

fn main() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("build");
    let (hooks, plain) = (Program::new(&folder, "hooks", &hooks()), Program::new(&folder, "plain", &plain()));
    let mut pairs: Vec<(f64, f64)> = (0..PAIRS).map(|_| (hooks.seconds_to_build(), plain.seconds_to_build())).collect();
    pairs.sort_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
    let (ours, floor) = pairs[PAIRS / 2];
    let ratio = ours / floor;
    println!("| What | ours | floor | ratio | budget |");
    println!("|---|---|---|---|---|");
    println!(
        "| a program of {FUNCTIONS} hooks, built for debugging, floor: of {FUNCTIONS} functions | {ours:.2} s | {floor:.2} s | {ratio:.2}x | {BUDGET:.2}x{} |",
        if ratio <= BUDGET { "" } else { " MISSED" }
    );
}

/// A package of its own, with a target folder that it shares with the other one.
struct Program {
    folder: PathBuf,
    target: PathBuf,
}

impl Program {
    fn new(parent: &Path, name: &str, main: &str) -> Self {
        let core = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = parent.join(name);
        std::fs::create_dir_all(folder.join("src")).unwrap();
        std::fs::write(
            folder.join("Cargo.toml"),
            format!(
                "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
                 [profile.dev]\nincremental = false\n\n[dependencies]\nhook-sdk = {{ path = '{}' }}\n",
                core.display()
            ),
        )
        .unwrap();
        std::fs::copy(core.join("../Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        std::fs::write(folder.join("src/main.rs"), main).unwrap();
        let program = Self { folder, target: parent.join("target") };
        program.seconds_to_build();
        program
    }

    /// Builds the program anew, and nothing else.
    fn seconds_to_build(&self) -> f64 {
        let main = self.folder.join("src/main.rs");
        std::fs::write(&main, std::fs::read(&main).unwrap()).unwrap();
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "--quiet", "--offline", "--target-dir"]).arg(&self.target).current_dir(&self.folder);
        let start = Instant::now();
        assert!(build.status().unwrap().success(), "the program compiles");
        start.elapsed().as_secs_f64()
    }
}

fn hooks() -> String {
    let mut main = String::from("use hook_sdk::prelude::*;\n\n");
    for index in 0..FUNCTIONS {
        writeln!(main, "#[hook(id = \"hook_{index}\", kind = after_tool_call_success)]\n{}", function(index)).unwrap();
    }
    main + "fn main() {\n    println!(\"{}\", Registry::discover().unwrap().hooks().len());\n}\n"
}

/// The registry is linked here too; what differs is the attribute.
fn plain() -> String {
    let mut main = String::from("use hook_sdk::prelude::*;\n\n");
    let mut calls = String::new();
    for index in 0..FUNCTIONS {
        writeln!(main, "{}", function(index)).unwrap();
        writeln!(calls, "    hook_{index}(&mut result);").unwrap();
    }
    main + "fn main() {\n    println!(\"{}\", Registry::discover().unwrap().hooks().len());\n    \
            let mut result = ToolResult::new(\"found\");\n"
        + &calls
        + "}\n"
}

fn function(index: usize) -> String {
    format!(
        "fn hook_{index}(result: &mut ToolResult) {{\n    if result.is_error {{\n        \
         result.add_context(\"failed: {index}\");\n    }}\n}}\n"
    )
}
