//! The program with rules from files.

use std::fs;
use std::process::{Command, Output};

use serde_json::json;
use tempfile::TempDir;

use crate::peer::{Peer, everything};

const RULES: &str = r#"{"hooks": {"PreToolUse": [{"matcher": "mcp__desk__delete", "hooks": [
    {"type": "command", "command": "echo 'ask the owner first' >&2; exit 2", "onFailure": "block"}]}]}}"#;

/// A folder with rules, and the program that judges with them.
fn with_rules(rules: &str, trusted: bool) -> (TempDir, Command) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hooks.json");
    fs::write(&file, rules).unwrap();
    if trusted {
        hooks_rules::Trust::open(folder.path().join("hooks/trust.json")).unwrap().trust(&file).unwrap();
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_hooks-mcp-guard"));
    command.args(["--name", "desk", "--rules"]).arg(file).arg("--").arg(everything().get_program());
    command.env("XDG_CONFIG_HOME", folder.path());
    (folder, command)
}

#[test]
fn rules_of_files_judge_calls() {
    let (_folder, command) = with_rules(RULES, true);
    let mut peer = Peer::greeted(command);
    let result = peer.call("delete", &json!({}));
    assert!(result["content"][0]["text"].as_str().unwrap().contains("ask the owner first"), "{result}");
    assert_eq!(peer.call("echo", &json!({"text": "hi"}))["content"][0]["text"], "hi");
    assert!(peer.end().1.success());
}

/// The program does not begin without its guards.
#[test]
fn what_cannot_be_loaded_ends_the_program() {
    let (_untrusted, untrusted) = with_rules(RULES, false);
    let (_broken, broken) =
        with_rules(r#"{"hooks": {"PreToolUse": [{"matcher": "[", "hooks": [{"type": "command"}]}]}}"#, true);
    let refused = |rules: &str| with_rules(rules, true);
    let deny = r#"[{"matcher": "mcp__desk__delete", "hooks": [{"type": "command", "command": "exit 2"}]}]"#;
    let (_typo, typo) = refused(&format!(r#"{{"hooks": {{"preToolUse": {deny}}}}}"#));
    let (_off, off) = refused(&format!(r#"{{"disableAllHooks": true, "hooks": {{"PreToolUse": {deny}}}}}"#));
    let (_twice, twice) = refused(&format!(r#"{{"hooks": {{"PreToolUse": {deny}, "PreToolUse": []}}}}"#));
    let (_empty, empty) = refused("{}");
    let (_alone, alone) = refused(&format!(
        r#"{{"hooks": {{"PreToolUse": {}}}}}"#,
        deny.replace("exit 2\"", "exit 2\", \"async\": true, \"onFailure\": \"block\"")
    ));
    let (_gone, mut gone) = with_rules(RULES, true);
    gone = {
        let mut other = Command::new(gone.get_program());
        other.args(["--name", "desk", "--rules", "/no/such/file", "--", "true"]);
        other
    };
    let bin = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hooks-mcp-guard"));
        command.args(args);
        command
    };
    let cases = [
        (untrusted, "is not trusted as it is now"),
        (broken, "hooks.json:1:"),
        (typo, "preToolUse"),
        (off, "disableAllHooks"),
        (twice, "appears twice"),
        (empty, "none of its rules runs"),
        (alone, "background"),
        (gone, "/no/such/file: No such file"),
        (bin(&["--name", "desk", "--", "true"]), "no rules are named"),
        (bin(&["--name", "a__b", "--", "true"]), "no rules are named"),
        (bin(&["--", "true"]), "name the server"),
        (bin(&["--name", "desk"]), "name the server's command"),
        (bin(&["--nmae", "desk"]), "`--nmae` is no option"),
    ];
    for (mut command, reason) in cases {
        let Output { status, stdout, stderr } = command.output().unwrap();
        let stderr = String::from_utf8(stderr).unwrap();
        assert!(!status.success() && stdout.is_empty() && stderr.contains(reason), "{reason}: {stderr}");
    }
}

/// Rules that judge no result leave one alone that they could not read.
#[test]
fn a_result_that_no_rule_judges_passes_in_any_form() {
    let (folder, guard) = with_rules(RULES, true);
    let odd = r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"a"}],"content":7}}"#;
    let mut command = Command::new(guard.get_program());
    command.args(["--name", "desk", "--rules"]).arg(folder.path().join("hooks.json"));
    command.args(["--", "sh", "-c", "read line; printf '%s\\n' \"$1\"; cat >/dev/null", "sh", odd]);
    let mut peer = Peer::start({
        command.env("XDG_CONFIG_HOME", folder.path());
        command
    });
    peer.send(br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo"}}"#);
    assert_eq!(peer.line().unwrap(), format!("{odd}\n").as_bytes());
}

/// A structured result that a rule replaces keeps its structure, without which clients with a schema refuse it.
#[test]
fn a_rule_that_masks_a_structured_result_leaves_a_structure() {
    let masked = r#"{"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": {"key": "***"}}}"#;
    let rules = json!({"hooks": {"PostToolUse": [{"hooks": [
        {"type": "command", "command": format!("echo '{masked}'"), "onFailure": "block"}]}]}});
    let (_folder, command) = with_rules(&rules.to_string(), true);
    let mut peer = Peer::greeted(command);
    let result = peer.call("structured", &json!({"text": "s3cret"}));
    assert_eq!(result["structuredContent"], json!({"key": "***"}), "{result}");
}

/// The process of a rule does not outlive the guard.
#[cfg(target_os = "linux")]
#[test]
fn a_guard_that_is_told_to_end_ends_the_processes_of_its_rules() {
    use std::time::{Duration, Instant};

    let rules = json!({"hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "command": "echo $$ > \"$HOOK_PID.new\" && mv \"$HOOK_PID.new\" \"$HOOK_PID\"; sleep 600"}]}]}});
    let (folder, mut command) = with_rules(&rules.to_string(), true);
    let file = folder.path().join("pid");
    let mut peer = Peer::greeted({
        command.env("HOOK_PID", &file);
        command
    });
    peer.send(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}"#);
    let pid = loop {
        match fs::read_to_string(&file) {
            Ok(pid) => break pid,
            Err(_) => std::thread::yield_now(),
        }
    };
    assert!(Command::new("kill").args(["-TERM", &peer.id().to_string()]).status().unwrap().success());
    let _ = peer.end();
    // A process that was killed ends a moment later.
    let start = Instant::now();
    loop {
        let state = fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        if state.is_empty() || state.contains(") Z ") {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{state}");
        std::thread::yield_now();
    }
}
