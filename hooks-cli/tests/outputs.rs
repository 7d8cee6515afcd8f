//! The exact output of the commands.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "the helpers of tests are tests too")]

use crate::support::{assert_snapshot, data, hooks, hooks_with};

#[test]
fn a_file_with_ten_mistakes_reports_all_of_them_at_once() {
    let said = hooks(&data("data"), &["check", "ten_mistakes.json"]);
    assert_snapshot("check.txt", &said.out);
    assert_eq!((said.code, said.err.as_str()), (Some(1), ""));
    let report = hooks(&data("data"), &["check", "--json", "ten_mistakes.json"]).json();
    let defects = report["defects"].as_array().unwrap().iter().filter(|defect| defect["severity"] != "hint");
    let mut problems: Vec<_> = defects.map(|defect| defect["problem"].to_string()).collect();
    assert_eq!(problems.len(), 10);
    problems.sort();
    problems.dedup();
    assert_eq!(problems.len(), 10, "ten different problems: {problems:#?}");
}

#[test]
fn warnings_are_errors_with_strict() {
    let folder = tempfile::tempdir().unwrap();
    for rule in [
        r#"{"Stop": [{"hooks": [{"type": "command", "command": "true", "timeout": 90000}]}]}"#,
        r#"{"PreToolUse": [{"hooks": [{"type": "command", "command": "true", "onFailure": "block", "if": "Bash(ls|rm *)"}]}]}"#,
    ] {
        std::fs::write(folder.path().join("hooks.json"), format!("{{\"hooks\": {rule}}}")).unwrap();
        assert_eq!(hooks(folder.path(), &["check", "hooks.json"]).code, Some(0), "{rule}");
        assert_eq!(hooks(folder.path(), &["check", "--strict", "hooks.json"]).code, Some(1), "{rule}");
    }
}

#[test]
fn explain_shows_why_a_rule_does_not_run() {
    let call = ["--event", "PreToolUse", "--tool", "Bash", "--input", r#"{"command": "git status"}"#];
    let args = [["explain", "--trust"].as_slice(), &call, &["why_not.json"]].concat();
    let said = hooks(&data("data"), &args);
    assert_snapshot("explain.txt", &said.out);
    assert_eq!(said.code, Some(0));
    let report = hooks(&data("data"), &[args.as_slice(), &["--json"]].concat()).json();
    let runs = |rule: &&serde_json::Value| rule["runs"] == true;
    let running: Vec<_> =
        report["rules"].as_array().unwrap().iter().filter(runs).map(|r| r["summary"].clone()).collect();
    assert_eq!(running, ["./log.sh", "./guard.sh"]);
}

#[test]
fn explain_suggests_how_to_select_the_call() {
    let folder = tempfile::tempdir().unwrap();
    let command =
        |matcher: serde_json::Value| serde_json::json!({"type": "command", "command": "x", "matcher": matcher});
    let nested =
        |matcher: &str| serde_json::json!([{"matcher": matcher, "hooks": [{"type": "command", "command": "x"}]}]);
    let call = |tool| ["--event", "PreToolUse", "--tool", tool];
    let table = [
        ("PreToolUse", nested("bash"), call("Bash").to_vec(), "write `Bash` instead of `bash`"),
        ("PreToolUse", nested("Bsh"), call("run_shell_command").to_vec(), "did you mean `Bash`?"),
        ("PreToolUse", nested("Reed|Write"), call("Read").to_vec(), "did you mean `Read`?"),
        ("PreToolUse", nested("mcp__shop"), call("mcp__shop__buy").to_vec(), "write `mcp__shop.*`"),
        ("PreToolUse", nested("Edit"), call("Bash").to_vec(), "null"),
        ("SessionStart", nested("resume"), vec!["--event", "SessionStart"], "as in `--value resume`"),
        (
            "PreToolUse",
            command(serde_json::json!({"tool_name": "bash"})),
            call("Bash").to_vec(),
            "`Bash` instead of `bash`",
        ),
        (
            "PreCompact",
            command(serde_json::json!({"trigger": "auto"})),
            vec!["--event", "PreCompact"],
            "with `--value`",
        ),
    ];
    for (event, entry, args, words) in table {
        let file = serde_json::json!({"hooks": {event: entry}});
        std::fs::write(folder.path().join("hooks.json"), file.to_string()).unwrap();
        let args = [["explain", "--trust", "--json", "hooks.json"].as_slice(), &args].concat();
        let report = hooks(folder.path(), &args).json();
        let help = report["rules"][0]["help"].to_string();
        assert!(help.contains(words), "{file} {args:?}: {help}");
    }
}

/// The rules that `explain` reports to run are those that `dispatch` runs, in the same order.
#[test]
fn explain_agrees_with_dispatch() {
    for (tool, command) in [("Bash", "git push x"), ("Bash", "ls"), ("run_shell_command", "ls"), ("mcp__shop__buy", "")]
    {
        let input = serde_json::json!({ "command": command });
        let args = [
            "explain",
            "--trust",
            "--event",
            "PreToolUse",
            "--json",
            "--tool",
            tool,
            "--input",
            &input.to_string(),
            "why_not.json",
        ];
        let report = hooks(&data("data"), &args).json();
        let rules = report["rules"].as_array().unwrap();
        let mut wanted: Vec<_> = rules.iter().filter(|rule| rule["runs"] == true).collect();
        wanted.sort_by_key(|rule| rule["order"].as_u64());
        let wanted: Vec<_> = wanted.iter().map(|rule| rule["id"].clone()).collect();
        let payload = serde_json::json!({ "tool_name": tool, "tool_input": input }).to_string();
        let args = ["dispatch", "--event", "PreToolUse", "--json", "--trust", "why_not.json"];
        let report = hooks_with(&data("data"), &args, payload.as_bytes()).json();
        let ran: Vec<_> = report["runs"].as_array().unwrap().iter().map(|run| run["rule"].clone()).collect();
        assert_eq!(ran, wanted, "{tool} {command}");
    }
}

/// Some commands exist only with a feature.
#[cfg(all(feature = "store", feature = "postgres", feature = "turns"))]
#[test]
fn help_lists_every_command() {
    let said = hooks(&data("data"), &["--help"]);
    assert_snapshot("help.txt", &said.out);
    assert_eq!(said.code, Some(0), "{}", said.err);
}

#[test]
fn list_and_audit_match_their_snapshots() {
    for (name, args, code) in [
        ("list.txt", ["list", "--trust", "why_not.json"].as_slice(), 1),
        ("list.json", &["list", "--trust", "--json", "why_not.json"], 1),
        ("dispatch_help.txt", &["dispatch", "--help"], 0),
        ("audit.txt", &["audit"], 0),
    ] {
        let said = hooks(&data("data"), args);
        assert_snapshot(name, &said.out);
        assert_eq!(said.code, Some(code), "{args:?}: {}", said.err);
    }
}

#[test]
fn every_kind_is_listed_with_its_semantics_and_rule_events() {
    let said = hooks(&data("data"), &["kinds"]).out;
    for kind in hook_sdk::kinds::all() {
        let line = said.lines().find(|line| line.split(' ').next() == Some(kind.name));
        let line = line.unwrap_or_else(|| panic!("{} is not listed", kind.name));
        assert!(line.contains(kind.semantics.as_str()), "{line}");
    }
    assert!(said.contains("by tool; rules: PreToolUse\n    Fires before a tool runs"), "{said}");
}

#[test]
fn output_for_programs_is_json() {
    for args in
        [["kinds", "--json"].as_slice(), &["manifest"], &["schema"], &["schema", "--definitions"], &["audit", "--json"]]
    {
        let said = hooks(&data("data"), args);
        assert!(said.json().is_object(), "{args:?}");
        assert_eq!(said.code, Some(0));
    }
    let flat = hooks(&data("data"), &["schema", "--dialect", "agentao"]).json();
    assert!(flat["title"].as_str().unwrap().contains("agentao"));
}

#[test]
fn completions_contain_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = hooks(&data("data"), &["completions", shell]);
        assert!(said.out.contains("dispatch") && said.out.contains("explain"), "{shell}");
    }
}

/// The output of a test is not a terminal.
#[test]
fn colours_are_printed_without_a_terminal_only_if_forced() {
    let args = ["check", "ten_mistakes.json"];
    let plain = hooks(&data("data"), &args).out;
    let colored = hooks(&data("data"), &[args.as_slice(), &["--color", "always"]].concat()).out;
    assert!(!plain.contains('\u{1b}') && colored.contains("\u{1b}["));
    assert_eq!(anstream::adapter::strip_str(&colored).to_string(), plain);
}
