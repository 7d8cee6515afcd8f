//! Payloads of `dispatch`: errors are reported, and scripts get valid payloads unchanged.
#![allow(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests are tests too")]

use std::fs;

use crate::support::{folder, hooks, hooks_with};

#[test]
fn invalid_payloads_and_arguments_are_reported_and_run_nothing() {
    let folder = folder();
    let run = ["dispatch", "--trust", "hooks.json", "--event"];
    let table: &[(&[&str], &str, &[&str])] = &[
        (&["PreToolUse"], "tool_name=Bash", &["the payload is not JSON", "line 1", "tool_name=Bash"]),
        (&["PreToolUse"], "[1, 2]", &["the payload is an object"]),
        (&["PreToolUse"], "", &["`tool_name` is missing", "\"tool_name\": \"Bash\""]),
        (
            &["PreToolUse"],
            r#"{"tool_name": 5, "session_id": []}"#,
            &["`tool_name` is a string, not `5`", "`session_id`"],
        ),
        (
            &["PreToolUse"],
            r#"{"tool_name": "", "tool_input": "ls"}"#,
            &["`tool_name` is empty", "`tool_input` is an object, not `\"ls\"`"],
        ),
        (&["PreToolUse"], r#"{"tool_name": "Bash", "cwd": "/no/where"}"#, &["there is no such folder"]),
        (&["PreToolUse"], r#"{"hook_event_name": "Stop"}"#, &["--event is PreToolUse", "the payload is of Stop"]),
        (&["preToolUse"], "{}", &["did you mean `PreToolUse`?"]),
        (&["nonsense"], "{}", &["there is no such event", "PreToolUse, "]),
        (&["Stop", "--trust-file", "x"], "{}", &["cannot be used with"]),
        (&["Stop", "--wait", "soon"], "{}", &["a number from 0 to 3600"]),
        (&["Stop", "--alias", "x"], "{}", &["--alias shell.exec=Bash"]),
        (&["Stop", "--project-dir", "nowhere"], "{}", &["no such folder"]),
        (&["Stop", "-"], "{}", &["standard input is used for the payload"]),
    ];
    for (args, payload, words) in table {
        let args = [run.as_slice(), args].concat();
        let said = hooks_with(folder.path(), &args, payload.as_bytes());
        assert!(words.iter().all(|word| said.err.contains(word)), "{args:?} {payload}: {}", said.err);
        assert_eq!((said.code, said.out.as_str()), (Some(64), ""), "{args:?} {payload}");
    }
    let no_text = hooks_with(folder.path(), &[run.as_slice(), &["Stop"]].concat(), b"{\"a\": \"\xff\"}");
    assert!(no_text.err.contains("not UTF-8") && no_text.code == Some(64));
    for args in [
        ["explain", "--event", "PreToolUse", "hooks.json"].as_slice(),
        &["explain", "--event", "Stop", "--tool", "Bash", "hooks.json"],
        &["explain", "--event", "PreToolUse", "--tool", "Bash", "--input", "{", "hooks.json"],
        &["explain", "--event", "Stop", "--value", "x", "hooks.json"],
        &["check"],
        &["list"],
        &["chekc"],
    ] {
        let said = hooks(folder.path(), args);
        assert!(
            said.code == Some(64) && !said.err.is_empty() && said.out.is_empty(),
            "{args:?}: {}{}",
            said.out,
            said.err
        );
    }
    assert!(!folder.path().join("ran").exists(), "a rule ran");
}

#[test]
fn an_invalid_event_name_is_reported_in_a_short_message() {
    let folder = folder();
    let said = hooks_with(folder.path(), &["dispatch", "--trust", "hooks.json"], br#"{"hook_event_name": 5}"#);
    assert!(said.code == Some(64) && said.err.contains("`hook_event_name` is a string, not `5`"), "{}", said.err);
    let long = "x".repeat(100_000);
    let said = hooks(folder.path(), &["explain", "--event", &long, "hooks.json"]);
    assert!(said.code == Some(64) && said.err.len() < 1_000, "{}", said.err.len());
}

#[test]
fn an_unknown_field_is_reported_and_the_rules_run() {
    let folder = folder();
    let payload = br#"{"tool_name": "Bash", "tool_inptu": {"command": "ls"}, "effort": {"level": "high"}}"#;
    let said = hooks_with(folder.path(), &["dispatch", "--event", "PreToolUse", "--trust", "hooks.json"], payload);
    assert!(said.err.contains("`tool_inptu`") && said.err.contains("did you mean `tool_input`?"), "{}", said.err);
    assert!(!said.err.contains("effort"), "{}", said.err);
    assert_eq!(said.code, Some(0));
}

/// Recordings of a host contain the name of the event, so `--event` is optional.
#[test]
fn a_recorded_event_of_a_host_is_a_payload() {
    let folder = folder();
    let args = ["dispatch", "--trust", "--json", "hooks.json"];
    for payload in [
        r#"{"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}, "session_id": "s", "effort": {}}"#,
        r#"{"event": "PreToolUse", "data": {"toolName": "Bash", "toolInput": {}, "sessionId": "s"}}"#,
    ] {
        let said = hooks_with(folder.path(), &args, payload.as_bytes());
        assert_eq!((said.json()["runs"].as_array().unwrap().len(), said.err.as_str()), (1, ""), "{payload}");
    }
}

/// A script gets the same object from `dispatch` as from the original host.
#[test]
fn a_payload_is_passed_to_commands_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let events = [
        (
            "PreToolUse",
            r#""tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t", "permission_mode": "plan", "effort": {"level": "high"}"#,
        ),
        (
            "PermissionRequest",
            r#""tool_name": "Bash", "tool_input": {"command": "ls"}, "permission_mode": "default", "permission_suggestions": [{"type": "setMode"}]"#,
        ),
        (
            "PostToolUse",
            r#""tool_name": "Bash", "tool_input": {}, "tool_response": {"stdout": "x", "stderr": ""}, "tool_use_id": "t", "duration_ms": 12, "permission_mode": "default", "agent_id": "a-1", "agent_type": "Explore""#,
        ),
        (
            "PostToolUseFailure",
            r#""tool_name": "Bash", "tool_input": {}, "tool_use_id": "t", "error": "e", "is_interrupt": true, "duration_ms": 3, "permission_mode": "default""#,
        ),
        ("UserPromptSubmit", r#""prompt": "hi", "source": "user", "permission_mode": "default", "prompt_id": "p""#),
        (
            "Stop",
            r#""stop_hook_active": true, "last_assistant_message": "m", "background_tasks": [{"id": "b"}], "session_crons": [], "permission_mode": "default""#,
        ),
        (
            "SubagentStop",
            r#""stop_hook_active": false, "agent_id": "x/y", "agent_type": "Plan", "agent_transcript_path": "/a.jsonl", "permission_mode": "default""#,
        ),
        ("SubagentStart", r#""agent_id": "a", "agent_type": "Plan""#),
        ("SessionStart", r#""source": "resume", "model": "m", "session_title": "t", "context_tokens": 5"#),
        ("SessionEnd", r#""reason": "logout""#),
        ("PreCompact", r#""trigger": "manual", "custom_instructions": """#),
        ("PostCompact", r#""trigger": "auto", "compact_summary": "s""#),
    ];
    for (event, fields) in events {
        let rules = format!(
            r#"{{"hooks": {{"{event}": [{{"hooks": [{{"type": "command", "command": "cat > given", "timeout": 50}}]}}]}}}}"#
        );
        fs::write(folder.path().join("hooks.json"), rules).unwrap();
        let cwd = folder.path().display();
        let payload = format!(
            r#"{{"session_id": "s", "transcript_path": "/t.jsonl", "cwd": "{cwd}", "hook_event_name": "{event}", "new_field": [1, {{"a": null}}], {fields}}}"#
        );
        let said = hooks_with(folder.path(), &["dispatch", "--trust", "hooks.json"], payload.as_bytes());
        let given: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(folder.path().join("given")).unwrap()).unwrap();
        let sent: serde_json::Value = serde_json::from_str(&payload).unwrap();
        assert_eq!(given, sent, "{event}: {}", said.err);
        assert!(!said.err.contains("permission_suggestions"), "{}", said.err);
    }
}

/// JSON always contains it. The text contains it only with `--verbose`.
#[test]
fn the_output_of_a_script_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let line = "echo loading; echo '{\\\"block\\\": true}'; echo careful >&2";
    let rules =
        format!(r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{{"type": "command", "command": "{line}"}}]}}]}}}}"#);
    fs::write(folder.path().join("hooks.json"), rules).unwrap();
    let run = |more: &[&str]| {
        let args = [&["dispatch", "--event", "PreToolUse", "--trust", "hooks.json"], more].concat();
        hooks_with(folder.path(), &args, br#"{"tool_name": "Bash"}"#)
    };
    let report = run(&["--json"]).json();
    assert_eq!(report["runs"][0]["stdout"], "loading\n{\"block\": true}\n");
    assert_eq!(report["runs"][0]["stderr"], "careful\n");
    assert!(!run(&[]).out.contains("stdout |"));
    let shown = run(&["--verbose"]).out;
    assert!(shown.contains("stdout | loading") && shown.contains("stderr | careful"), "{shown}");
}

/// If no kind carries an event, that is reported.
#[test]
fn every_event_can_be_dispatched() {
    let folder = tempfile::tempdir().unwrap();
    for event in hooks_rules::Event::all() {
        let rules = format!(
            r#"{{"hooks": {{"{event}": [{{"hooks": [{{"type": "command", "command": "cat > given; exit 2", "timeout": 50}}]}}]}}}}"#
        );
        fs::write(folder.path().join("hooks.json"), rules).unwrap();
        let payload = format!(
            r#"{{"hook_event_name": "{event}", "session_id": "s", "tool_name": "Bash", "tool_input": {{}}, "prompt": "p", "own_field": 1}}"#
        );
        let said = hooks_with(folder.path(), &["dispatch", "--trust", "hooks.json"], payload.as_bytes());
        let given: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(folder.path().join("given")).unwrap()).unwrap();
        assert_eq!(
            (&given["hook_event_name"], &given["own_field"]),
            (&event.as_str().into(), &1.into()),
            "{}",
            said.err
        );
        fs::remove_file(folder.path().join("given")).unwrap();
        let is_carried = event.spec().kind.is_some();
        assert_eq!(!is_carried, said.out.contains("an app fires it itself"), "{event}: {}", said.out);
        let refuses = matches!(event.spec().exit2, hooks_rules::event::Exit2::Deny) && !is_carried;
        assert!(!refuses || said.code == Some(2), "{event}: {:?} {}", said.code, said.out);
    }
}
