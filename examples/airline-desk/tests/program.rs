//! The program from outside: its output, the files that it leaves behind, its exit status.
#![allow(clippy::unwrap_used, reason = "tests unwrap to assert")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn desk(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_airline-desk")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_replay_of_the_sample_prints_changes_and_a_table() {
    let run = desk(&[]);
    let out = text(&run.stdout);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    assert_eq!(text(&run.stderr), ""); // not even the panic of the fragile hook
    for part in [
        "+ Hello, I am Runa Vik, [email], born [birth date].",
        "redact_pii",
        "fragile_tier failed",
        "26 messages in, 26 out",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
}

#[test]
fn the_summary_can_be_printed_as_json() {
    let run = desk(&["--json"]);
    let summary: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(
        (&summary["conversations"], &summary["messages_out"], &summary["refused"]),
        (&3.into(), &26.into(), &1.into())
    );
    assert!(summary["hooks"][0]["time_us"].is_u64());
}

#[test]
fn the_plan_is_printed_with_the_audit() {
    let run = desk(&["--plan"]);
    let out = text(&run.stdout);
    assert!(out.contains("before_tool_call (gate)"), "{out}");
    assert!(out.contains("prompt `timetable` omits the gate `guard_booking`"), "{out}");
}

#[test]
fn transcripts_replace_a_file_completely_and_skipped_lines_change_the_exit_status() {
    let folder = tempfile::tempdir().unwrap();
    let (input, out) = (folder.path().join("in.jsonl"), folder.path().join("out.jsonl"));
    fs::write(&input, "{\"messages\": []}\nnot json\n").unwrap();
    fs::write(&out, "old").unwrap();
    let run = desk(&[path(&input), "--out", path(&out)]);
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run.stderr).contains("in.jsonl:2: column 2: is not JSON: "), "{}", text(&run.stderr));
    assert_eq!(fs::read_to_string(&out).unwrap(), "{\"messages\":[]}\n");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);

    // Transcripts on standard output, the summary on standard error.
    let run = desk(&[path(&input), "--out", "-"]);
    assert_eq!(text(&run.stdout), "{\"messages\":[]}\n");
}

#[test]
fn an_invalid_agent_file_is_reported_with_its_position_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let (agent, out) = (folder.path().join("agent.json"), folder.path().join("out.jsonl"));
    fs::write(&out, "old").unwrap();
    let table = [
        (
            "{\"name\": \"a\",\n \"hooks\": [\"redact_pi\"]}",
            "agent.json:2:12: agent `a` names the hook `redact_pi`, which is not registered",
        ),
        ("{\"name\": \"a\", \"hoks\": []}", "agent.json:1:15: unknown field `hoks`; did you mean `hooks`?"),
        ("{", "agent.json:1:"),
    ];
    for (definition, problem) in table {
        fs::write(&agent, definition).unwrap();
        let run = desk(&["--hooks", path(&agent), "--out", path(&out)]);
        assert_eq!(run.status.code(), Some(2));
        assert!(text(&run.stderr).contains(problem), "{}", text(&run.stderr));
        assert_eq!(fs::read_to_string(&out).unwrap(), "old");
    }
    let run = desk(&["nowhere.jsonl"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(text(&run.stderr).starts_with("error: nowhere.jsonl: cannot be read: "));
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    for arguments in [&["--plan"][..], &["--json"], &["--out", "-"], &[]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_airline-desk"))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let run = child.wait_with_output().unwrap();
        assert_eq!(run.status.code(), Some(0), "{arguments:?}: {}", text(&run.stderr));
        assert!(!text(&run.stderr).contains("panicked"));
    }
}

#[cfg(feature = "rules")]
#[test]
fn rules_must_be_trusted_and_valid() {
    let folder = tempfile::tempdir().unwrap();
    let (rules, wrong) = (folder.path().join("hooks.json"), folder.path().join("wrong.json"));
    fs::write(
        &rules,
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "touch ran; exit 2"}]}]}}"#,
    )
    .unwrap();
    fs::write(&wrong, r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "comand", "command": "true"}]}]}}"#).unwrap();
    let missing = folder.path().join("missing.json");
    for (arguments, problem) in [
        (vec!["--rules", path(&rules)], "--trust"),
        (vec!["--rules", path(&wrong), "--trust"], "comand"),
        (vec!["--rules", path(&missing), "--trust"], "missing.json: there is no such file"),
        (vec!["--plugins", path(folder.path())], "--trust"),
        (vec!["--plugins", path(&missing), "--trust"], "missing.json: there is no such folder"),
    ] {
        let run = desk(&arguments);
        assert_eq!(run.status.code(), Some(2), "{arguments:?}");
        assert!(text(&run.stderr).contains(problem), "{arguments:?}: {}", text(&run.stderr));
        assert!(!folder.path().join("ran").exists(), "{arguments:?}");
    }
    #[cfg(unix)]
    {
        let run = desk(&["--rules", path(&rules), "--trust", "--json"]);
        let summary: Value = serde_json::from_slice(&run.stdout).unwrap();
        assert_eq!(summary["refused"], summary["calls"], "{summary}");
        assert!(folder.path().join("ran").exists(), "a command runs in the folder of its rule file");
    }
}
