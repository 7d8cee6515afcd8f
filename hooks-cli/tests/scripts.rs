//! Scripts in sh, Python and JavaScript, end to end: typical scripts, and the recipes of the flat dialect. If an
//! interpreter is missing, its scripts are skipped with a notice.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "the helpers of tests are tests too")]
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Said, data, hooks_with};
use serde_json::{Value, json};

const LANGUAGES: &[(&str, &str)] = &[("sh", "sh"), ("py", "python3"), ("js", "node")];

/// Calls `test` with the command line that runs the script `name`, for each language.
fn in_each_language(name: &str, test: impl Fn(&Path, &str, &str)) {
    let mut ran = 0;
    for (extension, interpreter) in LANGUAGES {
        let there = Command::new(interpreter).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        // A shell without `--version` exists too.
        if !there.is_ok_and(|status| status.success() || *extension == "sh") {
            eprintln!("skipped: {name}.{extension}, {interpreter} is not installed");
            continue;
        }
        let script = data("scripts").join(format!("{name}.{extension}"));
        assert!(script.is_file(), "{}", script.display());
        let folder = tempfile::tempdir().unwrap();
        test(folder.path(), &format!("{interpreter} '{}'", script.display()), extension);
        ran += 1;
    }
    assert!(ran > 0);
}

fn dispatch(folder: &Path, file: &Value, event: &str, payload: &Value, more: &[&str]) -> Said {
    fs::write(folder.join("hooks.json"), file.to_string()).unwrap();
    let args = [["dispatch", "--event", event, "--trust", "--json", "hooks.json"].as_slice(), more].concat();
    hooks_with(folder, &args, payload.to_string().as_bytes())
}

/// A nested file with one command.
fn nested(event: &str, command: &str) -> Value {
    json!({"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}})
}

/// A flat file with one command.
fn flat(event: &str, command: &str) -> Value {
    json!({"hooks": {event: [{"type": "command", "command": command}]}})
}

fn bash(command: &str) -> Value {
    json!({"tool_name": "Bash", "tool_input": {"command": command, "description": "does it"}})
}

/// The outcome, the reason and the exit status.
fn result(said: &Said) -> (String, String, Option<i32>) {
    let report = said.json();
    let text = |name: &str| report[name].as_str().unwrap_or_default().to_owned();
    (text("outcome"), text("reason"), said.code)
}

fn expect(said: &Said, outcome: &str, reason: &str, code: i32, what: &str) {
    assert_eq!(result(said), (outcome.to_owned(), reason.to_owned(), Some(code)), "{what}: {}{}", said.out, said.err);
}

#[test]
fn p01_a_denial_needs_no_reason() {
    in_each_language("p01_bare_deny", |folder, line, what| {
        let said = dispatch(folder, &nested("PreToolUse", line), "PreToolUse", &bash("ls"), &[]);
        expect(&said, "deny", "no reason given", 2, what);
    });
}

#[test]
fn p02_a_script_that_prints_its_input_has_no_opinion() {
    in_each_language("p02_echo", |folder, line, what| {
        let said = dispatch(folder, &nested("PreToolUse", line), "PreToolUse", &bash("ls"), &[]);
        expect(&said, "go_on", "", 0, what);
    });
}

#[test]
fn p03_json_on_stderr_with_status_2_is_text() {
    in_each_language("p03_json_on_stderr", |folder, line, what| {
        let said = dispatch(folder, &nested("PreToolUse", line), "PreToolUse", &bash("ls"), &[]);
        expect(&said, "deny", r#"{"hookSpecificOutput": {"permissionDecision": "ask"}}"#, 2, what);
    });
}

#[test]
fn p04_a_script_that_does_not_read_its_input_can_deny() {
    in_each_language("p04_never_reads", |folder, line, what| {
        let said = dispatch(folder, &nested("PreToolUse", line), "PreToolUse", &bash(&"x".repeat(300_000)), &[]);
        expect(&said, "deny", "no writing today", 2, what);
    });
}

#[test]
fn p05_the_transcript_exists_before_the_end_of_the_turn() {
    in_each_language("p05_transcript", |folder, line, what| {
        let file = nested("Stop", line);
        let said = dispatch(folder, &file, "Stop", &json!({"last_assistant_message": "one of two"}), &[]);
        expect(&said, "continue", "finish the list", 2, what);
        let said = dispatch(folder, &file, "Stop", &json!({"last_assistant_message": "now all is done"}), &[]);
        expect(&said, "go_on", "", 0, what);
        // A harness with its own transcript passes its path.
        let own = folder.join("own.jsonl");
        fs::write(&own, "{\"role\":\"assistant\",\"message\":{\"content\":[{\"text\":\"all is done\"}]}}\n").unwrap();
        let said = dispatch(folder, &file, "Stop", &json!({"transcript_path": own}), &[]);
        expect(&said, "go_on", "", 0, what);
    });
}

#[test]
fn p06_a_script_that_always_continues_the_turn_is_stopped() {
    in_each_language("p06_never_ends", |folder, line, what| {
        let said = dispatch(folder, &nested("Stop", line), "Stop", &json!({}), &["--follow"]);
        expect(&said, "go_on", "", 0, what);
        assert_eq!(said.json()["rounds"], 9, "{what}: eight continuations, then the turn ends");
        assert!(said.json()["verdict"]["system_messages"][0].as_str().unwrap().contains("too often"));
    });
}

#[test]
fn p07_an_updated_input_without_a_decision_replaces_the_whole_input() {
    in_each_language("p07_rewrite", |folder, line, what| {
        let said = dispatch(folder, &nested("PreToolUse", line), "PreToolUse", &bash("git status"), &[]);
        expect(&said, "go_on", "", 0, what);
        assert_eq!(said.json()["subject"], json!({"command": "short git status"}), "{what}");
    });
}

#[test]
fn p08_a_command_is_a_line_for_sh_and_its_file_must_be_executable() {
    in_each_language("p08_plain", |folder, line, what| {
        let commented = format!("# guards the shell\n[ -z \"$BASH_VERSION\" ] || exit 0\n{line}");
        let said = dispatch(folder, &nested("PreToolUse", &commented), "PreToolUse", &bash("ls"), &[]);
        expect(&said, "deny", "the plain shell ran me", 2, what);

        // Without the executable bit, the file cannot be started. That is reported, and the call continues.
        let copy = folder.join(format!("copy.{what}"));
        fs::copy(data("scripts").join(format!("p08_plain.{what}")), &copy).unwrap();
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o644)).unwrap();
        let file = nested("PreToolUse", &format!("'{}'", copy.display()));
        let said = dispatch(folder, &file, "PreToolUse", &bash("ls"), &[]);
        expect(&said, "go_on", "", 1, what);
        assert_eq!(said.json()["runs"][0]["exit_status"], 126);

        // With the bit and without a shebang, the shell runs the file. That is correct only for shell scripts.
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).unwrap();
        let said = dispatch(folder, &file, "PreToolUse", &bash("ls"), &[]);
        if what == "sh" {
            expect(&said, "deny", "the plain shell ran me", 2, what);
        } else {
            assert_ne!(result(&said).1, "the plain shell ran me", "{what}");
        }
    });
}

#[test]
fn p09_keys_and_events_of_other_programs_do_not_affect_the_rules() {
    in_each_language("p09_extra_keys", |folder, line, what| {
        let file = json!({
            "$schema": "x", "version": 3,
            "hooks": {
                "beforeShellExecution": [{"command": "exit 2"}],
                "BeforeTool": [{"hooks": [{"type": "command", "command": "exit 2"}]}],
                "PreToolUse": [{
                    "matcher": "Bash", "description": "guards", "id": "g", "// Description": "x",
                    "hooks": [{"type": "command", "command": line, "name": "n", "_comment": "c", "commandWindows": "x"}],
                }],
            },
        });
        let said = dispatch(folder, &file, "PreToolUse", &bash("ls"), &[]);
        expect(&said, "allow", "", 0, what);
        let report = said.json();
        let defects = report["defects"].as_array().unwrap();
        assert!(defects.len() == 2 && defects.iter().all(|defect| defect["severity"] == "warning"), "{defects:#?}");
    });
}

#[test]
fn p10_a_timeout_in_milliseconds_is_reported_with_its_value_in_seconds() {
    in_each_language("p10_milliseconds", |folder, line, what| {
        let handler = json!({"type": "command", "command": line, "timeout": 10_000});
        let file = json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}});
        let said = dispatch(folder, &file, "PreToolUse", &bash("ls"), &[]);
        expect(&said, "deny", "in time", 2, what);
        assert!(said.json()["defects"][0]["help"].as_str().unwrap().contains("\"timeout\": 10"), "{}", said.out);
    });
}

#[test]
fn p11_the_input_has_no_keys_of_other_hosts() {
    in_each_language("p11_foreign_keys", |folder, line, what| {
        for (event, payload) in [
            ("PreToolUse", bash("ls")),
            ("PostToolUse", bash("ls")),
            ("UserPromptSubmit", json!({"prompt": "hello"})),
            ("Stop", json!({})),
        ] {
            let said = dispatch(folder, &nested(event, line), event, &payload, &[]);
            expect(&said, "go_on", "", 0, &format!("{what} {event}"));
        }
    });
}

#[test]
fn r1_a_script_adds_context_to_every_turn() {
    in_each_language("r1_context", |folder, line, what| {
        let payload = json!({"prompt": "are you open?"});
        let said = dispatch(folder, &flat("UserPromptSubmit", line), "UserPromptSubmit", &payload, &[]);
        expect(&said, "go_on", "", 0, what);
        assert_eq!(said.json()["verdict"]["contexts"], json!(["the shop is closed on Sundays"]));
    });
}

#[test]
fn r2_dangerous_commands_are_denied() {
    in_each_language("r2_block_shell", |folder, line, what| {
        let mut file = flat("PreToolUse", line);
        file["hooks"]["PreToolUse"][0]["matcher"] = json!({"tool_name": "run_shell_command"});
        let said = dispatch(folder, &file, "PreToolUse", &bash("rm -rf /"), &[]);
        expect(&said, "deny", "nothing is removed here", 2, what);
        expect(&dispatch(folder, &file, "PreToolUse", &bash("ls"), &[]), "go_on", "", 0, what);
        let other = json!({"tool_name": "read_file", "tool_input": {"path": "rm -rf"}});
        assert_eq!(dispatch(folder, &file, "PreToolUse", &other, &[]).json()["runs"], json!([]));
    });
}

#[test]
fn r3_an_empty_answer_is_requested_once_more() {
    in_each_language("r3_once_more", |folder, line, what| {
        let file = flat("Stop", line);
        let empty = json!({"last_assistant_message": ""});
        expect(&dispatch(folder, &file, "Stop", &empty, &[]), "continue", "say something", 2, what);
        let said = dispatch(folder, &file, "Stop", &empty, &["--follow"]);
        expect(&said, "go_on", "", 0, what);
        assert_eq!(said.json()["rounds"], 2, "the answer is requested only once more");
        let said = dispatch(folder, &file, "Stop", &json!({"last_assistant_message": "here"}), &["--follow"]);
        assert_eq!(said.json()["rounds"], 1);
    });
}

#[test]
fn r4_automatic_compactions_are_logged() {
    in_each_language("r4_audit", |folder, line, what| {
        let mut file = flat("PreCompact", line);
        file["hooks"]["PreCompact"][0]["matcher"] = json!({"trigger": "auto"});
        let payload = |trigger: &str| json!({"trigger": trigger, "reason": "compression_threshold"});
        expect(&dispatch(folder, &file, "PreCompact", &payload("auto"), &[]), "go_on", "", 0, what);
        dispatch(folder, &file, "PreCompact", &payload("manual"), &[]);
        let log = fs::read_to_string(folder.join("audit.jsonl")).unwrap();
        assert!(log.lines().count() == 1 && log.contains("compression_threshold"), "{what}: {log}");
    });
}

#[test]
fn every_script_is_tested_in_each_language() {
    let tests = fs::read_to_string(data("scripts.rs")).unwrap();
    for entry in fs::read_dir(data("scripts")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        assert!(tests.contains(&format!("in_each_language(\"{name}\"")), "{name}");
        assert!(LANGUAGES.iter().all(|(extension, _)| path.with_extension(extension).is_file()), "{name}");
    }
}
