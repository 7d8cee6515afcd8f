//! For any input, the program reports what is wrong, and its exit status is meaningful.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "the helpers of tests are tests too")]

use std::fs;

use crate::support::{hooks, hooks_with};

const RULES: &str = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "touch ran"}]}]}}"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("hooks.json"), RULES).unwrap();
    folder
}

#[test]
fn files_that_are_none() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("empty")).unwrap();
    fs::write(at("bytes"), [0xff, 0xfe, 0x00]).unwrap();
    fs::write(at("text"), "hooks: yes").unwrap();
    fs::write(at("latin"), [b'"', 0xe9, b'"']).unwrap();
    fs::write(at("nothing"), "\n").unwrap();
    fs::write(at("nul"), RULES.replace("touch", "touch\\u0000")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("loop", at("loop")).unwrap();
    #[cfg(not(unix))]
    fs::write(at("loop"), "symbolic links").unwrap();
    fs::write(at("list"), "[]").unwrap();
    fs::write(at("deep"), "[".repeat(200_000)).unwrap();
    fs::write(at("large"), vec![b' '; (16 << 20) + 1]).unwrap();
    let mut table = vec![
        ("nowhere", "there is no such file"),
        ("empty", "a folder without `hooks/hooks.json`"),
        ("bytes", "is UTF-16, not UTF-8"),
        ("latin", "the file is not UTF-8"),
        ("loop", "symbolic links"),
        ("nothing", "the file is empty"),
        ("nul", "contains the character NUL"),
        ("text", "error: "),
        ("list", "a file of rules is an object"),
        ("deep", "error: "),
        ("large", "larger than 16 MiB"),
    ];
    if cfg!(target_os = "linux") {
        table.push(("/dev/zero", "larger than 16 MiB"));
    }
    for (name, words) in table {
        for command in ["check", "list", "explain"] {
            let args = match command {
                "explain" => vec![command, "--event", "Stop", name],
                _ => vec![command, name],
            };
            let said = hooks(folder.path(), &args);
            let text = said.out + &said.err;
            assert!(text.contains(words) && !text.contains("panicked"), "{command} {name}: {text}");
            assert!(command != "check" || said.code == Some(1), "{name}");
        }
    }
}

/// An invalid file does not prevent checking the others.
#[test]
fn a_file_that_cannot_be_read_costs_no_other() {
    let folder = folder();
    let report = hooks(folder.path(), &["check", "--json", "nowhere", "hooks.json"]).json();
    assert_eq!((&report["rules"], &report["errors"]), (&1.into(), &1.into()));
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder();
    let file = folder.path().join("hooks.json");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&file).is_ok() {
        eprintln!("left out: whoever runs this may read everything");
        return;
    }
    let said = hooks(folder.path(), &["check", "hooks.json"]);
    assert!(said.out.contains("permission denied") && said.out.contains("chmod u+r"), "{}", said.out);
    assert_eq!(said.code, Some(1));
}

#[test]
fn the_folder_of_a_plugin_is_read_and_its_commands_find_it() {
    let folder = folder();
    let hooks_of = folder.path().join("guards/hooks");
    fs::create_dir_all(&hooks_of).unwrap();
    let text =
        r#"{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "echo $CLAUDE_PLUGIN_ROOT"}]}]}}"#;
    fs::write(hooks_of.join("hooks.json"), text).unwrap();
    let said = hooks(folder.path(), &["dispatch", "--event", "SessionStart", "--trust", "--json", "guards"]);
    let full = fs::canonicalize(folder.path()).unwrap().join("guards");
    assert_eq!(said.json()["verdict"][0], full.to_str().unwrap());
}

#[test]
fn payloads_and_command_lines_that_make_no_sense() {
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
    assert!(!folder.path().join("ran").exists(), "something ran");
}

/// The event's name may be wrong too.
#[test]
fn an_event_that_is_not_text_is_reported() {
    let folder = folder();
    let said = hooks_with(folder.path(), &["dispatch", "--trust", "hooks.json"], br#"{"hook_event_name": 5}"#);
    assert!(said.code == Some(64) && said.err.contains("`hook_event_name` is a string, not `5`"), "{}", said.err);
    let long = "x".repeat(100_000);
    let said = hooks(folder.path(), &["explain", "--event", &long, "hooks.json"]);
    assert!(said.code == Some(64) && said.err.len() < 1_000, "{}", said.err.len());
}

/// The second path may be different.
#[cfg(unix)]
#[test]
fn a_file_that_is_named_twice() {
    let folder = folder();
    std::os::unix::fs::symlink("hooks.json", folder.path().join("link.json")).unwrap();
    let args = ["check", "--json", "hooks.json", "./hooks.json", "link.json"];
    let said = hooks(folder.path(), &args);
    let report = said.json();
    assert_eq!((&report["rules"], &report["warnings"], said.code), (&1.into(), &2.into(), Some(0)));
    assert!(
        hooks(folder.path(), &["check", "hooks.json", "link.json"]).out.contains("warning: this file was named before")
    );
}

#[test]
fn a_field_that_means_nothing_is_reported_and_costs_nothing() {
    let folder = folder();
    let payload = br#"{"tool_name": "Bash", "tool_inptu": {"command": "ls"}, "effort": {"level": "high"}}"#;
    let said = hooks_with(folder.path(), &["dispatch", "--event", "PreToolUse", "--trust", "hooks.json"], payload);
    assert!(said.err.contains("`tool_inptu`") && said.err.contains("did you mean `tool_input`?"), "{}", said.err);
    assert!(!said.err.contains("effort"), "{}", said.err);
    assert_eq!(said.code, Some(0));
}

/// The event can be in the payload only, as in the recordings of a host.
#[test]
fn what_a_host_recorded_is_a_payload() {
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

#[test]
fn nothing_runs_before_somebody_trusts_the_files() {
    let folder = folder();
    let payload = br#"{"tool_name": "Bash"}"#;
    let run = |more: &[&str]| {
        let args = [["dispatch", "--event", "PreToolUse", "hooks.json"].as_slice(), more].concat();
        let said = hooks_with(folder.path(), &args, payload);
        let ran = fs::remove_file(folder.path().join("ran")).is_ok();
        (said.code, ran, said.err)
    };
    let (code, ran, words) = run(&[]);
    assert_eq!((code, ran), (Some(77), false));
    assert!(words.contains("touch ran") && words.contains("--trust"), "{words}");
    assert_eq!(run(&["--trust"]).0, Some(0));

    let trust_file = ["--trust-file", "trust.json"];
    assert_eq!(run(&trust_file).0, Some(77), "a file of trust that is not there trusts nothing");
    let mut trust = hooks_rules::Trust::open(folder.path().join("trust.json")).unwrap();
    trust.trust(&folder.path().join("hooks.json")).unwrap();
    let (code, ran, words) = run(&trust_file);
    assert_eq!((code, ran), (Some(0), true), "{words}");
    fs::write(folder.path().join("hooks.json"), format!("{RULES} ")).unwrap();
    assert_eq!(run(&trust_file).0, Some(77), "it is another file now");
    fs::write(folder.path().join("trust.json"), "no").unwrap();
    assert!(run(&trust_file).2.contains("is not a trust file"));
}

#[test]
fn somebody_else_decides() {
    let folder = folder();
    for (word, code, words) in
        [("ask", 3, "a person has to be asked: why"), ("defer", 3, "elsewhere"), ("allow", 0, "allowed")]
    {
        let answer = format!(
            r#"{{"hookSpecificOutput": {{"hookEventName": "PreToolUse", "permissionDecision": "{word}", "permissionDecisionReason": "why"}}}}"#
        );
        let rule = serde_json::json!({"type": "command", "command": format!("echo '{answer}'")});
        let file = serde_json::json!({"hooks": {"PreToolUse": [{"hooks": [rule]}]}});
        fs::write(folder.path().join("hooks.json"), file.to_string()).unwrap();
        let args = ["dispatch", "--event", "PreToolUse", "--trust", "hooks.json"];
        let said = hooks_with(folder.path(), &args, br#"{"tool_name": "Bash"}"#);
        assert!(said.code == Some(code) && said.out.contains(words), "{word}: {}{}", said.out, said.err);
    }
}

/// The content of a file or the output of a command must not control the user's terminal.
#[test]
fn texts_of_others_do_not_steer_the_terminal() {
    let folder = folder();
    let text = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "printf '\\033[2J' >&2; \u001b]0;x\u0007; exit 2"}]}]}}"#;
    fs::write(folder.path().join("hooks.json"), text).unwrap();
    let args = ["dispatch", "--event", "PreToolUse", "--trust", "hooks.json"];
    for args in [["list", "hooks.json"].as_slice(), &args] {
        let args = [args, &["--color", "always"]].concat();
        let said = hooks_with(folder.path(), &args, br#"{"tool_name": "Bash"}"#);
        let plain = anstream::adapter::strip_str(&said.out).to_string();
        assert!(!said.out.contains("\u{1b}[2J") && !said.out.contains('\u{7}'), "{:?}", said.out);
        assert!(plain.contains('\u{fffd}'), "{plain}");
    }
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsString;
    use std::io::{Read as _, Write as _};
    use std::os::unix::ffi::OsStringExt as _;
    use std::path::Path;
    use std::process::Stdio;

    use rustix::process::{Pid, Signal, kill_process};

    use super::*;
    use crate::support::{Said, data, program};

    #[test]
    fn arguments_that_are_no_text() {
        let folder = folder();
        let strange = || OsString::from_vec(vec![b'x', 0xff]);
        let said = hooks(folder.path(), &["check".into(), strange()]);
        assert!(said.out.contains("no such file") && said.code == Some(1), "{}", said.out);
        let said = hooks(folder.path(), &["explain".into(), "--event".into(), strange()]);
        assert!(said.err.contains("UTF-8") && said.code == Some(64), "{}", said.err);
        fs::write(folder.path().join(strange()), RULES).unwrap();
        let said = hooks(folder.path(), &["check".into(), strange()]);
        assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "a strange name is a name");
        assert_eq!(hooks(folder.path(), &["list".into(), "--json".into(), strange()]).code, Some(0));
    }

    /// A closed pipe is not an error, and the status does not change.
    #[test]
    fn a_closed_pipe() {
        let mut child = program(&data("data")).args(["check", "-"]).spawn().unwrap();
        // It writes only after it has read.
        drop(child.stdout.take());
        let mistakes = fs::read(data("data").join("ten_mistakes.json")).unwrap();
        child.stdin.take().unwrap().write_all(&mistakes).unwrap();
        let said = Said::from(child.wait_with_output().unwrap());
        assert_eq!((said.code, said.err.as_str()), (Some(1), ""));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk() {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let child = program(&data("data")).arg("kinds").stdout(Stdio::from(full)).spawn().unwrap();
        let said = Said::from(child.wait_with_output().unwrap());
        assert!(said.code == Some(74) && said.err.contains("cannot be written"), "{}", said.err);
    }

    /// The command and its child processes hold one end of a pipe: the other end reads until all of them have exited.
    fn interrupted(signal: Signal, line: &str) -> (Option<i32>, String) {
        let folder = folder();
        let fifo = folder.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let command = format!("exec 3>fifo; echo started >&3; {line}");
        let rule = serde_json::json!({"type": "command", "command": command});
        let file = serde_json::json!({"hooks": {"Stop": [{"hooks": [rule]}]}});
        fs::write(folder.path().join("hooks.json"), file.to_string()).unwrap();
        let mut child = program(folder.path())
            .args(["dispatch", "--event", "Stop", "--trust", "hooks.json"])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let mut pipe = fs::File::open(&fifo).unwrap();
        let mut started = [0; 8];
        pipe.read_exact(&mut started).unwrap();
        kill_process(Pid::from_child(&child), signal).unwrap();
        let mut rest = String::new();
        pipe.read_to_string(&mut rest).unwrap();
        (child.wait().unwrap().code(), rest)
    }

    #[test]
    fn an_interrupt_ends_what_was_started() {
        for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
            for line in [
                "sleep 20; echo finished >&3",
                "(sleep 20; echo finished >&3) & wait",
                "trap '' INT TERM; sleep 20; echo finished >&3",
            ] {
                assert_eq!(interrupted(signal, line), (Some(code), String::new()), "{line}");
            }
        }
    }

    #[test]
    fn commands_that_nobody_waits_for_are_waited_for_a_while() {
        let folder = folder();
        let rule = |command: &str| serde_json::json!({"type": "command", "command": command, "async": true});
        let run = |command: &str, wait: &str| {
            let file = serde_json::json!({"hooks": {"Stop": [{"hooks": [rule(command)]}]}});
            fs::write(folder.path().join("hooks.json"), file.to_string()).unwrap();
            let args = ["dispatch", "--event", "Stop", "--trust", "--json", "--wait", wait, "hooks.json"];
            let report = hooks(folder.path(), &args).json();
            let outcomes = report["runs"].as_array().unwrap().iter().map(|run| run["outcome"].to_string());
            outcomes.collect::<Vec<_>>()
        };
        assert_eq!(run("touch done", "60"), ["\"detached\"", "\"answered\""]);
        assert!(Path::new(&folder.path().join("done")).exists());
        assert_eq!(run("sleep 60", "0")[0], "\"detached\"");
    }
}

/// A script gets the same object from `dispatch` as from the original host.
#[test]
fn a_payload_reaches_commands_as_it_is() {
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

/// The output of a script is always in the JSON, and in the text on request.
#[test]
fn what_a_script_printed_can_be_seen() {
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

/// Every event of the contract can be dispatched. If no kind carries it, that is reported.
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
