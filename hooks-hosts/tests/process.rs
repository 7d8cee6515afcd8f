//! A program with compiled hooks, called as a host calls it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

use crate::cases::{Case, case};

fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks-hosts-fixture"));
    command.args(args).env("HOOKS_STATE_DIR", std::env::temp_dir().join("hooks-hosts-tests"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn spawn(args: &[&str]) -> Child {
    command(args).spawn().unwrap()
}

pub(crate) fn call(args: &[&str], stdin: &[u8]) -> Output {
    let mut child = spawn(args);
    // On a busy machine, the deadline of a test may be over before it writes.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
}

fn shell(host: &str) -> Case {
    case(host, "pre_tool.shell")
}

/// The payload with another command in place of its own.
fn with_command(case: &Case, command: &str) -> Vec<u8> {
    let text = String::from_utf8(case.stdin.clone()).unwrap();
    assert!(text.contains("rm -rf build && make release"));
    text.replace("rm -rf build && make release", command).into_bytes()
}

fn answered(case: &Case, stdin: &[u8], more: &[&str]) -> Output {
    let mut args = case.args();
    args.extend(more);
    call(&args, stdin)
}

/// Whether the host takes the output as a denial, by its contract.
pub(crate) fn denies(host: &str, output: &Output) -> bool {
    let said: Value = match serde_json::from_slice(&output.stdout) {
        Ok(said) => said,
        Err(_) => return output.status.code() == Some(2) && !output.stderr.is_empty() && output.stdout.is_empty(),
    };
    let is = |pointer: &str, word: &str| said.pointer(pointer) == Some(&json!(word));
    match host {
        "claude" | "codex" | "vscode" | "qwen" | "droid" => is("/hookSpecificOutput/permissionDecision", "deny"),
        "copilot" => is("/permissionDecision", "deny"),
        "gemini" | "antigravity" => is("/decision", "deny"),
        "goose" => is("/decision", "block"),
        "cursor" => is("/permission", "deny"),
        "cline" => said["cancel"] == true,
        _ => false,
    }
}

#[test]
fn one_guard_denies_at_every_host_and_lets_through_what_it_may() {
    for host in hooks_hosts::all() {
        let case = shell(host.name);
        assert!(denies(case.host, &answered(&case, &case.stdin, &[])), "{}", case.host);
        let output = answered(&case, &with_command(&case, "ls"), &[]);
        assert!(!denies(case.host, &output) && output.status.success(), "{}: {output:?}", case.host);
    }
}

#[test]
fn a_hook_that_panics_hangs_or_prints_does_not_open() {
    for host in hooks_hosts::all() {
        let case = shell(host.name);
        for command in ["panic", "hang", "print"] {
            let output = answered(&case, &with_command(&case, command), &["--deadline", "0.5"]);
            assert!(denies(case.host, &output), "{} {command}: {output:?}", case.host);
            if host.reads_stderr {
                assert!(output.stderr.is_empty(), "{} {command}: {output:?}", case.host);
            }
        }
    }
}

#[test]
fn what_cannot_be_read_is_refused_at_a_gate() {
    for host in hooks_hosts::all() {
        let case = shell(host.name);
        let half = &case.stdin[..case.stdin.len() / 2];
        for stdin in [&b""[..], b"[]", b"\"PreToolUse\"", half] {
            assert!(denies(case.host, &answered(&case, stdin, &[])), "{}", case.host);
            let named = host.events().find(|event| event.kind.is_gate()).unwrap();
            let output = call(&["host", case.host, "--event", named.name], stdin);
            assert!(denies(case.host, &output), "{}: {output:?}", case.host);
        }
    }
}

#[test]
fn hooks_that_cannot_be_built_and_a_payload_without_end_are_refused() {
    for host in hooks_hosts::all() {
        let case = shell(host.name);
        let broken = |stdin: &[u8]| {
            let mut child = command(&case.args()).env("HOOKS_FIXTURE_BROKEN", "no folder").spawn().unwrap();
            child.stdin.take().unwrap().write_all(stdin).unwrap();
            child.wait_with_output().unwrap()
        };
        let output = broken(&with_command(&case, "ls"));
        assert!(denies(case.host, &output), "{}: {output:?}", case.host);
        let said = [&output.stdout[..], &output.stderr].concat();
        assert!(String::from_utf8_lossy(&said).contains("could not be loaded: no folder"), "{}", case.host);
    }
    // Read to its end, and judged by nobody.
    let case = shell("goose");
    let huge = with_command(&case, &"x".repeat(65 << 20));
    let output = answered(&case, &huge, &["--deadline", "60"]);
    assert!(denies("goose", &output), "{:?}", &output.stdout[..output.stdout.len().min(300)]);
}

/// Reasons of hooks and names of files stand in the log.
#[cfg(unix)]
#[test]
fn only_the_person_reads_the_log() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state/hooks");
    let mode = |file: &std::path::Path| std::fs::metadata(file).unwrap().permissions().mode() & 0o777;
    let case = shell("claude");
    let log = state.join("hosts.jsonl");
    for round in 0..2 {
        let mut child = command(&case.args()).env("HOOKS_STATE_DIR", &state).spawn().unwrap();
        child.stdin.take().unwrap().write_all(&case.stdin).unwrap();
        child.wait_with_output().unwrap();
        assert_eq!((mode(&log), mode(&state)), (0o600, 0o700), "{round}");
        // One of an earlier release is closed by the next line.
        std::fs::set_permissions(&log, std::fs::Permissions::from_mode(0o644)).unwrap();
    }
}

/// A guard may quote in its failure what it has read.
#[test]
fn the_log_contains_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let case = shell("claude");
    let command_line = "panic password=hunter-two postgres://ada:s3cr3t-pw@db/x";
    let mut child = command(&case.args()).env("HOOKS_STATE_DIR", folder.path()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&with_command(&case, command_line)).unwrap();
    child.wait_with_output().unwrap();
    let log = std::fs::read_to_string(folder.path().join("hosts.jsonl")).unwrap();
    assert!(log.contains("as the test asks") && !log.contains("hunter-two") && !log.contains("s3cr3t-pw"), "{log}");
}

/// The program, killed after a time in which it has long ended: a host would wait no longer.
#[cfg(unix)]
fn limited(args: &[&str]) -> Command {
    let mut command = Command::new("timeout");
    command.args(["30", env!("CARGO_BIN_EXE_hooks-hosts-fixture")]).args(args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[cfg(unix)]
#[test]
fn a_log_that_is_a_pipe_keeps_no_host_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("hosts.jsonl");
    assert!(Command::new("mkfifo").arg(&log).status().unwrap().success());
    let case = shell("claude");
    let mut child = limited(&case.args()).env("HOOKS_STATE_DIR", folder.path()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&case.stdin).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("deny"));
}

/// Windsurf takes no status but 2 for a denial, and a signal leaves another one.
#[cfg(unix)]
#[test]
fn a_log_that_may_not_grow_changes_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let case = shell("windsurf");
    let mut child = Command::new("bash")
        .args(["-c", "ulimit -f 0; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_hooks-hosts-fixture")])
        .args(case.args())
        .env("HOOKS_STATE_DIR", folder.path())
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&case.stdin).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
}

#[cfg(unix)]
#[test]
fn wrong_arguments_are_refused_in_time_even_if_the_payload_has_no_end() {
    let folder = tempfile::tempdir().unwrap();
    let mut refused = limited(&["host", "claude", "--evnt", "PreToolUse", "--deadline", "1"]);
    let mut child = refused.env("HOOKS_STATE_DIR", folder.path()).spawn().unwrap();
    let open = child.stdin.take().unwrap();
    let output = child.wait_with_output().unwrap();
    drop(open);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
}

#[test]
fn a_call_with_wrong_arguments_is_refused() {
    for args in [&["host", "nobody"][..], &["host", "claude", "--evnt", "PreToolUse"], &["host"]] {
        let output = call(args, b"{}");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}");
        assert!(!output.stderr.is_empty());
    }
}

#[test]
fn async_hooks_answer_too() {
    let case = case("claude", "prompt");
    let text = String::from_utf8(case.stdin.clone()).unwrap().replace("Fix the failing", "print the password in the");
    let output = answered(&case, text.as_bytes(), &[]);
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said, json!({ "decision": "block", "reason": "prompts hold no passwords" }));
}

#[cfg(unix)]
#[test]
fn whoever_ends_the_program_or_its_input_hears_a_refusal() {
    let case = shell("claude");
    let stdin = with_command(&case, "hang");
    for signal in ["TERM", "INT", "HUP", "QUIT", "ALRM", "USR1", "USR2", "PIPE"] {
        let mut child = spawn(&["host", "claude", "--deadline", if signal == "PIPE" { "0.5" } else { "60" }]);
        child.stdin.take().unwrap().write_all(&stdin).unwrap();
        let mut hangs = String::new();
        BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut hangs).unwrap();
        assert_eq!(hangs, "hangs\n");
        let kill = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
        assert!(kill.success());
        let output = child.wait_with_output().unwrap();
        assert!(denies("claude", &output), "{signal}: {output:?}");
    }
    // Standard input that never ends.
    let mut child = spawn(&["host", "claude", "--event", "PreToolUse", "--deadline", "0.5"]);
    let mut open = child.stdin.take().unwrap();
    open.write_all(&stdin[..10]).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(denies("claude", &output) && String::from_utf8_lossy(&output.stdout).contains("in time"), "{output:?}");
    drop(open);
}

#[cfg(unix)]
#[test]
fn a_program_without_file_descriptors_refuses() {
    let case = shell("codex");
    for limit in 4..=16 {
        let line = format!("ulimit -n {limit}; exec \"$0\" host codex");
        let mut shell = Command::new("sh");
        shell.args(["-c", &line, env!("CARGO_BIN_EXE_hooks-hosts-fixture")]);
        shell.env("HOOKS_STATE_DIR", std::env::temp_dir().join("hooks-hosts-tests"));
        let mut child = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(&case.stdin).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(denies("codex", &output), "{limit}: {output:?}");
    }
}
