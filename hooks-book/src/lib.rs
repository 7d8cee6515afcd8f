//! The book in `docs/`, as the compiler sees it.
//!
//! Every block of Rust in a chapter, and of the READMEs, is a documentation test of this crate, so what the book
//! shows compiles and runs; the program of the start is one of this crate. `tests/` holds the rest of it: chapters and
//! links, the pages that are written from the sources, and the layers that the page on the design promises.

use std::fs;
use std::path::Path;

use hooks_core::data::{ToolCall, ToolInput};
use hooks_core::kinds::BeforeToolCall;
use hooks_core::testing::Trial;
use serde_json::{Value, json};

/// A module per chapter, its text as the documentation that is tested.
macro_rules! chapters {
    ($($name:ident: $file:literal,)*) => {
        /// The chapters whose Rust is tested, as files beneath `docs/`.
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
    events: "events.md",
    kinds: "kinds.md",
    writing_hooks: "writing-hooks.md",
    scopes: "scopes.md",
    failure: "failure.md",
    ordering: "ordering.md",
    own_kinds: "own-kinds.md",
    own_verdicts: "own-verdicts.md",
    testing_hooks: "testing-hooks.md",
    diagnosis: "diagnosis.md",
    turn_loop: "turn-loop.md",
    models_and_tools: "models-and-tools.md",
    wrappers: "wrappers.md",
    operations: "operations.md",
    rules: "rules.md",
    rule_handlers: "rule-handlers.md",
    approvals: "approvals.md",
    production: "production.md",
    performance: "performance.md",
    replay: "replay.md",
    durable: "durable.md",
    from_vellum: "coming-from/vellum.md",
    from_standard_agents: "coming-from/standard-agents.md",
    from_openclaw: "coming-from/openclaw.md",
    from_agentao: "coming-from/agentao.md",
    from_pioneer: "coming-from/pioneer.md",
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
}

/// Asserts that a chapter shows `text`, word for word, in a block of its own. An example of the book calls it, so that what
/// the reader sees beneath the code is what the code says. Places in the source, which differ, are not compared.
///
/// # Panics
/// Where the chapter does not show it, with the text that it should show.
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

/// Asserts that a guard fails closed: it lets `input` pass, and denies it where `field` is of another type, a fraction,
/// negative or missing, and arguments that are not JSON, each with a reason that names the field. An example of the book
/// calls it, so that no reader copies a guard that lets pass what it could not read.
///
/// # Panics
/// Where the guard does otherwise, with what it did.
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

/// `good` with a `field` that cannot be read, in each way, and what is no JSON.
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
    inputs.into_iter().map(ToolInput::from).chain([ToolInput::parse("pay 300 cents")]).collect()
}

/// `text` without places in the source and without blanks at the ends of lines.
fn plain(text: &str) -> String {
    let line = |line: &str| line.split(' ').map(without_place).collect::<Vec<_>>().join(" ").trim_end().to_owned();
    text.trim_end().lines().map(line).collect::<Vec<_>>().join("\n")
}

/// A word, or `FILE` in place of what names a line of a source: `src/main.rs:14`.
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
    fn places_and_blanks_at_the_end_are_not_compared_and_all_else_is() {
        let here = plain("`a` (src/main.rs:14) of b;  \n   1 c at /tmp/x.rs:3");
        assert_eq!(here, plain("`a` (docs/start.md:2) of b;\n   1 c at src/lib.rs:77\n"));
        for other in ["`a` (src/main.rs:14) of b\n   1 c at x.rs:3", "`a` (x.rs:14) of b;\n  1 c at x.rs:3"] {
            assert_ne!(here, plain(other));
        }
    }

    #[test]
    #[should_panic(expected = "docs/start.md does not show:\n\nnothing of the kind")]
    fn what_is_not_shown_is_told() {
        assert_shown("start.md", "nothing of the kind");
    }
}
