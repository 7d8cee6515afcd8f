//! Runs the scripts of `hooks-cli/tests/scripts` in the loop: typical scripts, and the recipes of the flat dialect, in
//! sh, Python and JavaScript. If an interpreter is missing, its scripts are skipped with a notice.
#![allow(clippy::print_stderr, reason = "a test that leaves something out says so")]

use std::collections::BTreeSet;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hook_sdk::data::{Message, Role};
use hooks_agent::Reply;
use hooks_agent::model::Line;
use hooks_agent::store::MessageStore as _;
use hooks_agent::window::Window;
use serde_json::{Value, json};

use super::desk::{Desk, bash};

const LANGUAGES: &[(&str, &str)] = &[("sh", "sh"), ("py", "python3"), ("js", "node")];

/// Whether their rule file is nested or flat.
#[derive(Clone, Copy)]
enum Form {
    Nested,
    Flat,
}

/// A script, its event, the lines of the model, and the expected result.
struct Case {
    script: &'static str,
    form: Form,
    event: &'static str,
    lines: fn() -> Vec<Line>,
    holds: fn(&Desk, &Reply, &str),
}

fn one_call() -> Vec<Line> {
    vec![bash("ls"), Line::text("ok")]
}

fn answers() -> Vec<Line> {
    ["one of two", "and two", "all is done", "never"].map(Line::text).into()
}

fn denied(desk: &Desk, reason: &str, what: &str) {
    assert_eq!(desk.sent().last(), Some(&format!("tool: <- Denied: {reason}")), "{what}: {:?}", desk.failures());
    assert!(desk.ran().is_empty(), "{what}");
}

fn let_through(desk: &Desk, what: &str) {
    assert_eq!(desk.sent().last().unwrap(), "tool: <- the shell's answer", "{what}");
    assert_eq!(desk.ran(), [json!({"command": "ls", "description": "does it"})], "{what}");
    assert_eq!(desk.failures(), [""; 0], "{what}");
}

const CASES: &[Case] = &[
    Case {
        script: "p01_bare_deny",
        form: Form::Nested,
        event: "PreToolUse",
        lines: one_call,
        holds: |desk, _, what| denied(desk, "no reason given", what),
    },
    Case {
        script: "p02_echo",
        form: Form::Nested,
        event: "PreToolUse",
        lines: one_call,
        holds: |desk, _, what| let_through(desk, what),
    },
    Case {
        script: "p03_json_on_stderr",
        form: Form::Nested,
        event: "PreToolUse",
        lines: one_call,
        holds: |desk, _, what| denied(desk, r#"{"hookSpecificOutput": {"permissionDecision": "ask"}}"#, what),
    },
    Case {
        script: "p04_never_reads",
        form: Form::Nested,
        event: "PreToolUse",
        lines: || vec![bash(&"x".repeat(300_000)), Line::text("ok")],
        holds: |desk, _, what| denied(desk, "no writing today", what),
    },
    Case {
        script: "p05_transcript",
        form: Form::Nested,
        event: "Stop",
        lines: answers,
        holds: |_, reply, what| assert_eq!(reply.to_string(), "all is done", "{what}"),
    },
    Case {
        script: "p06_never_ends",
        form: Form::Nested,
        event: "Stop",
        lines: || (1..20).map(|i| Line::text(format!("answer {i}"))).collect(),
        holds: |_, reply, what| assert_eq!(reply.to_string(), "answer 9", "{what}"),
    },
    Case {
        script: "p07_rewrite",
        form: Form::Nested,
        event: "PreToolUse",
        lines: || vec![bash("git status"), Line::text("ok")],
        holds: |desk, _, what| assert_eq!(desk.ran(), [json!({"command": "short git status"})], "{what}"),
    },
    Case {
        script: "p08_plain",
        form: Form::Nested,
        event: "PreToolUse",
        lines: one_call,
        holds: |desk, _, what| denied(desk, "the plain shell ran me", what),
    },
    Case {
        script: "p09_extra_keys",
        form: Form::Nested,
        event: "PreToolUse",
        lines: one_call,
        holds: |desk, _, what| let_through(desk, what),
    },
    Case {
        script: "p10_milliseconds",
        form: Form::Nested,
        event: "PreToolUse",
        lines: one_call,
        holds: |desk, _, what| {
            denied(desk, "in time", what);
            assert!(desk.rules.defects()[0].to_string().contains("10000"), "{what}: {:?}", desk.rules.defects());
        },
    },
    Case {
        script: "p11_foreign_keys",
        form: Form::Nested,
        event: "PreToolUse PostToolUse UserPromptSubmit Stop",
        lines: one_call,
        holds: |desk, _, what| {
            let_through(desk, what);
            assert_eq!(desk.runs.lock().unwrap().len(), 4, "{what}");
        },
    },
    Case {
        script: "r1_context",
        form: Form::Flat,
        event: "UserPromptSubmit",
        lines: one_call,
        holds: |desk, _, what| assert!(desk.sent()[0].contains("the shop is closed on Sundays"), "{what}"),
    },
    Case {
        script: "r2_block_shell",
        form: Form::Flat,
        event: "PreToolUse",
        lines: || vec![bash("rm -rf /"), Line::text("ok")],
        holds: |desk, _, what| denied(desk, "nothing is removed here", what),
    },
    Case {
        script: "r3_once_more",
        form: Form::Flat,
        event: "Stop",
        lines: || vec![Line::text(""), Line::text(""), Line::text("never")],
        holds: |desk, _, what| {
            assert_eq!(desk.model.heard().len(), 2, "{what}: once, and not again");
            assert!(desk.sent().last().unwrap().ends_with("say something"), "{what}");
        },
    },
    Case {
        script: "r4_audit",
        form: Form::Flat,
        event: "PreCompact",
        lines: || vec![Line::text("they talked"), Line::text("ok")],
        holds: |desk, _, what| {
            let log = desk.read("audit.jsonl");
            assert!(!log.is_empty() && log.lines().all(|line| line.contains("compression_threshold")), "{what}: {log}");
        },
    },
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../hooks-cli/tests/scripts")
}

/// Whether the program exists. A shell without `--version` exists too.
fn is_there(interpreter: &str) -> bool {
    let status = Command::new(interpreter).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success() || interpreter == "sh")
}

fn file(case: &Case, command: &str) -> Value {
    let handler = match case.script {
        "p10_milliseconds" => json!({"type": "command", "command": command, "timeout": 10_000}),
        "p08_plain" => {
            let commented = format!("# guards the shell\n[ -z \"$BASH_VERSION\" ] || exit 0\n{command}");
            json!({"type": "command", "command": commented})
        }
        _ => json!({"type": "command", "command": command}),
    };
    let entry = match case.form {
        Form::Nested => json!([{"hooks": [handler]}]),
        Form::Flat => json!([handler]),
    };
    let events: serde_json::Map<_, _> = case.event.split(' ').map(|event| (event.to_owned(), entry.clone())).collect();
    json!({"hooks": events, "$schema": "x", "version": 3})
}

/// Calls `test` for each script in each available language.
async fn each<F: Future<Output = ()>>(test: impl Fn(&'static Case, String, String) -> F) {
    let here: Vec<_> = LANGUAGES.iter().filter(|(_, interpreter)| is_there(interpreter)).collect();
    for (extension, interpreter) in LANGUAGES {
        if !here.iter().any(|(there, _)| there == extension) {
            eprintln!("left out: *.{extension}, there is no {interpreter} here");
        }
    }
    assert!(!here.is_empty());
    for case in CASES {
        for (extension, interpreter) in &here {
            let script = folder().join(format!("{}.{extension}", case.script));
            assert!(script.is_file(), "{}", script.display());
            let what = format!("{}.{extension}", case.script);
            test(case, format!("{interpreter} '{}'", script.display()), what).await;
        }
    }
}

#[tokio::test]
async fn every_script_has_its_expected_effect_in_the_loop() {
    each(async |case, command, what| {
        let desk = Desk::of_file(tempfile::tempdir().unwrap(), &file(case, &command), (case.lines)(), |rules| rules);
        let mut harness = desk.harness();
        if case.event == "PreCompact" {
            let old = |i: u32| {
                Message::new(if i.is_multiple_of(2) { Role::User } else { Role::Assistant }, format!("message {i}"))
            };
            desk.store.append("c-1", (0..8).map(old).collect()).await.unwrap();
            harness = harness.window(Window::new(1_000).compact_at(60));
        }
        let reply = desk.open(harness).await.turn(None, "hi").await;
        assert!(!desk.runs.lock().unwrap().is_empty(), "{what} was never run");
        (case.holds)(&desk, &reply, &what);
    })
    .await;
}

#[test]
fn every_script_in_the_folder_is_tested() {
    let files: BTreeSet<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    let cases: BTreeSet<String> = CASES.iter().map(|case| case.script.to_owned()).collect();
    assert_eq!(files, cases);
}
