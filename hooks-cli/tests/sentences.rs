//! Runs what the pages say with a number, a status or a flag.
#![allow(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests are tests too")]

use std::fs;

use crate::support::{hooks, hooks_with};

/// A file with one command at an event.
fn file(event: &str, command: &str) -> String {
    serde_json::json!({"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}}).to_string()
}

#[test]
fn check_says_where_a_script_of_a_plugin_is_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    let plugin = folder.path().join("guards");
    fs::create_dir_all(plugin.join("hooks")).unwrap();
    fs::write(plugin.join("hooks/hooks.json"), file("PreToolUse", "./scripts/guard.sh")).unwrap();
    let said = hooks(folder.path(), &["check", "guards"]);
    assert!(said.out.contains("write the path from `$CLAUDE_PLUGIN_ROOT`"), "{}", said.out);
    assert!(!said.out.contains("CLAUDE_PROJECT_DIR"), "{}", said.out);
    // A file of settings has no plugin.
    fs::write(folder.path().join("hooks.json"), file("PreToolUse", "./scripts/guard.sh")).unwrap();
    assert!(hooks(folder.path(), &["check", "hooks.json"]).out.contains("or from `$CLAUDE_PROJECT_DIR`"));
}

#[test]
fn replaying_an_empty_folder_exits_with_3() {
    let folder = crate::support::folder();
    fs::create_dir(folder.path().join("traffic")).unwrap();
    for args in [&["replay", "traffic", "--rules", "hooks.json"][..], &["shadow", "traffic"]] {
        let said = hooks(folder.path(), args);
        assert!(said.code == Some(3) && said.err.contains("no file that ends with `.jsonl`"), "{args:?}: {}", said.err);
    }
}

/// The table of defaults.
#[test]
fn missing_fields_have_the_defaults_of_the_page() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/DISPATCH.md")).unwrap();
    let input = |event: &str, payload: &str| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("hooks.json"), file(event, "cat >&2")).unwrap();
        let args = ["dispatch", "--trust", "--json", "--event", event, "hooks.json"];
        let report = hooks_with(folder.path(), &args, payload.as_bytes()).json();
        serde_json::from_str::<serde_json::Value>(report["runs"][0]["stderr"].as_str().unwrap()).unwrap()
    };
    for (event, payload, field, default) in [
        ("Stop", "{}", "session_id", "session-1"),
        ("Stop", "{}", "permission_mode", "default"),
        ("SubagentStart", "{}", "agent_type", "general-purpose"),
        ("SubagentStop", "{}", "agent_id", "main/general-purpose"),
        ("PreToolUse", r#"{"tool_name": "Bash"}"#, "tool_use_id", "call_1"),
        ("PostToolUseFailure", r#"{"tool_name": "Bash"}"#, "error", "the tool failed"),
        ("SessionStart", "{}", "source", "startup"),
        ("SessionEnd", "{}", "reason", "other"),
        ("PreCompact", "{}", "trigger", "auto"),
        ("PostCompact", "{}", "trigger", "auto"),
    ] {
        assert_eq!(input(event, payload)[field], default, "{event}");
        assert!(page.contains(&format!("`{default}`")), "{default}");
    }
    assert_eq!(input("PreToolUse", r#"{"tool_name": "Bash"}"#)["tool_input"], serde_json::json!({}));
    assert_eq!(input("Stop", "{}")["stop_hook_active"], false);
    let stop = input("Stop", "{}");
    assert!(stop.get("agent_id").is_none() && stop.get("last_assistant_message").is_none(), "{stop}");
}

/// Runs one command at an event, with variables, and returns the report of its run.
#[cfg(unix)]
fn run(event: &str, command: &str, flags: &[&str], variables: &[(&str, &str)]) -> serde_json::Value {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("hooks.json"), file(event, command)).unwrap();
    let mut program = crate::support::program(folder.path());
    program.args(["dispatch", "--trust", "--json", "--event", event, "hooks.json"]).args(flags);
    let mut child = program.envs(variables.iter().copied()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"{}").unwrap();
    let said = crate::support::Said::from(child.wait_with_output().unwrap());
    said.json()["runs"][0].clone()
}

/// 1.5 seconds, unless the person says otherwise.
#[cfg(unix)]
#[test]
fn the_end_of_a_session_has_a_deadline() {
    let named = "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS";
    for (variables, at_least) in [(&[][..], 1_500), (&[(named, "300")], 300)] {
        let run = run("SessionEnd", "sleep 60", &[], variables);
        assert_eq!(run["failure"], "it timed out", "{run}");
        let took = run["duration_ms"].as_u64().unwrap();
        assert!(took >= at_least && took < 30_000, "{run}");
    }
}

/// The pipes are read for another quarter of a second after the command has ended, and then its children are killed.
#[cfg(unix)]
#[test]
fn a_child_that_keeps_the_pipes_is_waited_for_briefly() {
    let run = run("Stop", "sleep 60 & (sleep 0.05; echo soon >&2) & echo now >&2", &[], &[]);
    assert!(run["stderr"].as_str().unwrap().starts_with("now"), "{run}");
    let took = run["duration_ms"].as_u64().unwrap();
    assert!((250..30_000).contains(&took), "{run}");
}

#[cfg(unix)]
#[test]
fn the_first_mib_of_each_stream_is_kept() {
    let line = "head -c 1500000 /dev/zero | tr '\\0' x; head -c 1500000 /dev/zero | tr '\\0' y >&2";
    let run = run("Stop", line, &[], &[]);
    for (stream, letter) in [("stdout", "x"), ("stderr", "y")] {
        assert!(run[stream] == letter.repeat(1 << 20), "{stream}: {}", run[stream].as_str().unwrap().len());
    }
}

#[cfg(unix)]
#[test]
fn variables_are_withheld_by_their_names() {
    let names = [
        ("A_API_KEY_B", true),
        ("MY_SECRETS", true),
        ("TOKEN1", true),
        ("DB_PASSWORD", true),
        ("X_CREDENTIALS", true),
        ("SIGNING_KEY", true),
        ("GITHUB_PAT", true),
        ("PATIENCE", false),
        ("KEYBOARD", false),
    ];
    let variables: Vec<(&str, &str)> = names.iter().map(|(name, _)| (*name, "1")).collect();
    let run = run("Stop", "env >&2", &["--withhold-credentials"], &variables);
    for (name, is_withheld) in names {
        let listed = run["withheld"].as_array().unwrap().iter().any(|one| one == name);
        let seen = run["stderr"].as_str().unwrap().lines().any(|line| line == format!("{name}=1"));
        assert_eq!((listed, seen), (is_withheld, !is_withheld), "{name}: {run}");
    }
}

/// `OTEL_*` is never inherited, and other values of the variables that the program sets neither.
#[cfg(unix)]
#[test]
fn some_variables_are_not_inherited() {
    let set = ["CLAUDE_PLUGIN_ROOT", "CLAUDE_PLUGIN_DATA", "CLAUDE_ENV_FILE", "CLAUDE_CODE_REMOTE"];
    let mut inherited: Vec<(&str, &str)> = set.iter().map(|name| (*name, "/evil")).collect();
    inherited.extend([("CLAUDE_CODE_BRIDGE_SESSION_ID", "/evil"), ("OTEL_EXPORTER_X", "1")]);
    let run = run("Stop", "env >&2", &[], &inherited);
    let said = run["stderr"].as_str().unwrap();
    assert!(!said.contains("OTEL_") && !said.contains("/evil"), "{said}");
    assert!(said.contains("CLAUDE_PROJECT_DIR=/"), "{said}");
}

/// What is withheld from a command can be read from its parent.
#[cfg(target_os = "linux")]
#[test]
fn a_command_can_read_the_variables_of_the_program() {
    let line = "tr '\\0' '\\n' </proc/$PPID/environ | grep SIGNING_KEY >&2";
    let run = run("Stop", line, &["--withhold-credentials"], &[("SIGNING_KEY", "1")]);
    assert_eq!(run["stderr"].as_str().unwrap().trim(), "SIGNING_KEY=1", "{run}");
}

/// A rule that refuses, and one that ends the turn.
#[test]
fn a_refusal_has_status_2() {
    let halts = "echo '{\"continue\": false, \"stopReason\": \"enough\"}'";
    for (event, command, code) in [
        ("PreToolUse", "exit 2", 2),
        ("UserPromptSubmit", "exit 2", 2),
        ("PreCompact", "exit 2", 2),
        ("Stop", "exit 2", 2),
        ("PreToolUse", halts, 2),
        ("PostToolUse", halts, 2),
        ("UserPromptSubmit", halts, 2),
        ("Stop", halts, 0),
        ("SessionStart", halts, 0),
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("hooks.json"), file(event, command)).unwrap();
        let args = ["dispatch", "--trust", "--event", event, "hooks.json"];
        let said = hooks_with(folder.path(), &args, br#"{"tool_name": "Bash", "prompt": "hello"}"#);
        assert_eq!(said.code, Some(code), "{event} {command}: {}{}", said.out, said.err);
    }
}

/// The program has no model, and no TLS.
#[test]
fn what_the_program_cannot_do_fails() {
    for (handler, why) in [
        (serde_json::json!({"type": "prompt", "prompt": "is it safe?"}), "there is no model"),
        (serde_json::json!({"type": "http", "url": "https://localhost:1/"}), "`http://`"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let rules = serde_json::json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}});
        fs::write(folder.path().join("hooks.json"), rules.to_string()).unwrap();
        let args = ["dispatch", "--trust", "--json", "--event", "PreToolUse", "hooks.json"];
        let report = hooks_with(folder.path(), &args, br#"{"tool_name": "Bash"}"#).json();
        assert!(report["runs"][0]["failure"].as_str().unwrap().contains(why), "{report}");
    }
}

/// A plugin that is switched off runs if its folder is named.
#[test]
fn a_named_folder_is_not_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let plugin = folder.path().join("guards");
    fs::create_dir_all(plugin.join("hooks")).unwrap();
    fs::write(plugin.join("hooks/hooks.json"), file("Stop", "true")).unwrap();
    fs::write(plugin.join(".disabled"), "").unwrap();
    let said = hooks(folder.path(), &["list", "guards"]);
    assert!(said.code == Some(0) && said.out.contains("Stop"), "{}{}", said.out, said.err);
}

/// `--value` is what matchers are compared with where there is no tool.
#[test]
fn a_value_selects_by_the_word_of_an_event() {
    let folder = tempfile::tempdir().unwrap();
    let handlers = serde_json::json!([{"type": "command", "command": "true"}]);
    let rules = serde_json::json!({"hooks": {"SessionStart": [{"matcher": "resume", "hooks": handlers}]}});
    fs::write(folder.path().join("hooks.json"), rules.to_string()).unwrap();
    for (value, runs) in [("resume", true), ("startup", false)] {
        let args = ["explain", "--trust", "--json", "--event", "SessionStart", "--value", value, "hooks.json"];
        let report = hooks(folder.path(), &args).json();
        assert_eq!(report["rules"][0]["runs"], runs, "{value}: {report}");
    }
}

/// Session files have mode 0600 in a folder of mode 0700.
#[cfg(unix)]
#[test]
fn session_files_are_private() {
    let run =
        run("SessionStart", "stat -c '%a %n' \"$CLAUDE_ENV_FILE\" \"$(dirname \"$CLAUDE_ENV_FILE\")\" >&2", &[], &[]);
    let said = run["stderr"].as_str().unwrap();
    let modes: Vec<&str> = said.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(modes, ["600", "700"], "{said}");
}

/// 0 if every rule runs, and nothing would stop one.
#[test]
fn doctor_fails_if_anything_would_stop_a_rule() {
    let good = file("PreToolUse", "true");
    let off = format!("{{\"disableAllHooks\": true, {}", &good[1..]);
    for (text, flags, code) in [
        (good.as_str(), &["--trust"][..], 0),
        (&good, &[], 1),
        (&off, &["--trust"], 1),
        (&file("PreToolUse", "./missing.sh"), &["--trust"], 1),
        (&file("Notification", "true"), &["--trust"], 1),
        (r#"{"hooks": {"PreToolUse": [{"command": "true"}]}}"#, &["--trust"], 1),
        ("{", &["--trust"], 1),
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("hooks.json"), text).unwrap();
        let said = hooks(folder.path(), &[&["doctor", "hooks.json"], flags].concat());
        assert_eq!(said.code, Some(code), "{text} {flags:?}: {}{}", said.out, said.err);
    }
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(hooks(folder.path(), &["doctor"]).code, Some(64), "there is nothing to look at");
}

/// The only event at which a rule that is late refuses.
#[cfg(unix)]
#[test]
fn a_model_switch_is_refused_if_its_rule_is_late() {
    for (event, code) in [("PreModelSwitch", 2), ("PostModelSwitch", 1), ("PreToolUse", 1)] {
        let folder = tempfile::tempdir().unwrap();
        let handler = serde_json::json!({"type": "command", "command": "sleep 60", "timeout": 0.05});
        let rules = serde_json::json!({"hooks": {event: [{"hooks": [handler]}]}});
        fs::write(folder.path().join("hooks.json"), rules.to_string()).unwrap();
        let args = ["dispatch", "--trust", "--event", event, "hooks.json"];
        let said = hooks_with(folder.path(), &args, br#"{"tool_name": "Bash", "to_model": "m"}"#);
        assert!(said.code == Some(code) && said.out.contains("it timed out"), "{event}: {:?} {}", said.code, said.out);
    }
}
