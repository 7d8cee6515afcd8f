//! The tests of the book in `docs/`.
//!
//! Every block of Rust in a chapter or a README is a documentation test of this crate, so all shown code compiles and
//! runs. The program of `docs/start.md` is a binary of this crate. `tests/` contains the other checks: chapters and
//! links, the pages that are generated from the sources, and the layers that the page on the design promises.

use std::fs;
use std::path::Path;

use hook_sdk::data::{ToolCall, ToolInput};
use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::testing::Trial;
use serde_json::{Value, json};

/// A module per chapter, with the text of the chapter as its documentation.
macro_rules! chapters {
    ($($name:ident: $file:literal,)*) => {
        /// The chapters whose Rust is tested, as files under `docs/`.
        pub const CHAPTERS: &[&str] = &[$($file),*];

        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("../../docs/", $file))]
            pub mod $name {}
        )*
    };
}

chapters! {
    introduction: "introduction.md",
    terms: "terms.md",
    kinds: "kinds.md",
    writing_hooks: "writing-hooks.md",
    scopes: "scopes.md",
    failure: "failure.md",
    ordering: "ordering.md",
    ready_made: "ready-made.md",
    own_kinds: "own-kinds.md",
    own_verdicts: "own-verdicts.md",
    testing_hooks: "testing-hooks.md",
    diagnosis: "diagnosis.md",
    turn_loop: "turn-loop.md",
    models_and_tools: "models-and-tools.md",
    wrappers: "wrappers.md",
    operations: "operations.md",
    hosts: "hosts.md",
    rules: "rules.md",
    rule_handlers: "rule-handlers.md",
    approvals: "approvals.md",
    production: "production.md",
    performance: "performance.md",
    replay: "replay.md",
    durable: "durable.md",
    opentelemetry: "opentelemetry.md",
    from_claude_code: "coming-from/claude-code.md",
}

/// A module per README, likewise.
macro_rules! readmes {
    ($($name:ident: $file:literal,)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("../../", $file))]
            pub mod $name {}
        )*
    };
}

readmes! {
    readme: "README.md",
    readme_core: "hooks-core/README.md",
    readme_agent: "hooks-agent/README.md",
    readme_replay: "hooks-replay/README.md",
    readme_store: "hooks-store/README.md",
    readme_conformance: "hooks-conformance/README.md",
}

/// Asserts that a chapter shows `text`, word for word, in its own block. The examples of the book call it to compare their
/// output with the page. Positions in the source, which differ, are not compared.
///
/// # Panics
/// If the chapter does not show the text. The message contains it.
#[track_caller]
#[allow(clippy::panic, reason = "an expectation of a test")]
pub fn assert_shown(chapter: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(chapter);
    let page = match fs::read_to_string(&file) {
        Ok(page) => page,
        Err(error) => panic!("{}: {error}", file.display()),
    };
    let wanted = plain(text);
    let shown = page.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
    assert!(shown.into_iter().any(|block| plain(block) == wanted), "docs/{chapter} does not show:\n\n{text}");
}

/// Asserts that a guard fails closed. It has to allow `input`. It has to deny inputs whose `field` has another type, or is
/// a fraction, negative or missing, lists, and arguments that are not JSON, each with a reason that names the field. The examples
/// of the book call it, so that no reader copies a guard that allows unreadable input.
///
/// # Panics
/// If the guard decides otherwise. The message contains the decision.
#[track_caller]
#[allow(clippy::panic, clippy::unwrap_used, reason = "an expectation of a test")]
pub fn assert_fails_closed(guard: impl Fn() -> Trial, tool: &str, input: &str, field: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let run = |input: ToolInput| {
        let event = BeforeToolCall::new(ToolCall::new("call_1", tool, input.clone()));
        runtime.block_on(guard().run(&event, input)).unwrap()
    };
    let good = ToolInput::parse(input);
    if let Some(denial) = run(good.clone()).verdict.denial() {
        panic!("{input} is denied: {}", denial.reason);
    }
    for hostile in unreadable(&good, field) {
        run(hostile).expect_denied(field);
    }
}

/// Variants of `good` whose `field` cannot be read, its values as a list, and a text that is not JSON.
fn unreadable(good: &Value, field: &str) -> Vec<ToolInput> {
    let wrong = [json!("300"), json!(300.0), json!(-5), Value::Null].into_iter();
    let mut inputs: Vec<Value> = wrong
        .filter(|wrong| !(wrong.is_string() && good[field].is_string()))
        .map(|wrong| {
            let mut input = good.clone();
            input[field] = wrong;
            input
        })
        .collect();
    let mut without = good.clone();
    without.as_object_mut().map(|fields| fields.remove(field));
    inputs.push(without);
    inputs.push(good.as_object().map(|fields| fields.values().cloned().collect()).unwrap_or_default());
    inputs.into_iter().map(ToolInput::from).chain([ToolInput::parse("pay 300 cents")]).collect()
}

/// `text` without positions in the source and without trailing spaces.
fn plain(text: &str) -> String {
    let line = |line: &str| line.split(' ').map(without_place).collect::<Vec<_>>().join(" ").trim_end().to_owned();
    text.trim_end().lines().map(line).collect::<Vec<_>>().join("\n")
}

/// A word, in which `FILE` replaces a position in the source such as `src/main.rs:14`.
fn without_place(word: &str) -> String {
    let Some((before, after)) = word.split_once(".rs:").or_else(|| word.split_once(".md:")) else {
        return word.to_owned();
    };
    let opening: String = before.chars().take_while(|c| "(`".contains(*c)).collect();
    let closing = after.trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{opening}FILE{closing}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_source_positions_and_trailing_spaces_are_ignored() {
        let here = plain("`a` (src/main.rs:14) of b;  \n   1 c at /tmp/x.rs:3");
        assert_eq!(here, plain("`a` (docs/start.md:2) of b;\n   1 c at src/lib.rs:77\n"));
        for other in ["`a` (src/main.rs:14) of b\n   1 c at x.rs:3", "`a` (x.rs:14) of b;\n  1 c at x.rs:3"] {
            assert_ne!(here, plain(other));
        }
    }

    #[test]
    #[should_panic(expected = "docs/start.md does not show:\n\nnothing of the kind")]
    fn a_text_that_the_chapter_does_not_show_is_reported() {
        assert_shown("start.md", "nothing of the kind");
    }
}
