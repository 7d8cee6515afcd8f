//! `hooks replay`: the decisions of a guard for recorded calls, and the exit statuses.
#![allow(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests are tests too")]

use std::fs;
use std::path::Path;

use crate::support::{Said, hooks};

const TRANSCRIPT: &str = r#"{"type":"assistant","sessionId":"s","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"rm -rf /"}}]}}
"#;

fn folder(rule: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let rules = format!(r#"{{"hooks": {{"PreToolUse": [{{"matcher": "Bash", "hooks": [{rule}]}}]}}}}"#);
    fs::write(folder.path().join("rules.json"), rules).unwrap();
    fs::create_dir(folder.path().join("transcripts")).unwrap();
    fs::write(folder.path().join("transcripts/s.jsonl"), TRANSCRIPT).unwrap();
    folder
}

fn replay(folder: &Path, args: &[&str]) -> Said {
    hooks(folder, &[["replay", "transcripts", "--trust", "--rules", "rules.json"].as_slice(), args].concat())
}

#[test]
fn a_guard_that_would_have_denied_a_call_is_a_difference() {
    let folder = folder(r#"{"type": "command", "command": "echo 'not that' >&2; exit 2"}"#);
    let said = replay(folder.path(), &[]);
    assert_eq!(said.code, Some(2), "{}", said.err);
    assert!(said.out.contains("none → deny: not that"), "{}", said.out);
}

/// Side effects are not repeated.
#[test]
fn a_detached_rule_is_not_run() {
    // The second rule waits for the first, and denies if the first has run.
    let folder = folder(
        r#"{"type": "command", "command": "touch ran", "async": true},
           {"type": "command", "command": "for i in 1 2 3 4 5 6 7 8 9; do [ -e ran ] && exit 2; sleep 0.1; done; exit 0"}"#,
    );
    let said = replay(folder.path(), &[]);
    assert_eq!(said.code, Some(0), "{}", said.out);
    assert!(!folder.path().join("ran").exists());
}

#[test]
fn a_replay_without_a_working_guard_is_not_a_success() {
    let table = [
        (r#"{"type": "command", "command": "./gaurd.sh"}"#, 1, "failed"),
        (r#"{"type": "command", "command": 5}"#, 1, "error"),
        (r#"{"type": "command", "#, 1, "error"),
    ];
    for (rule, code, words) in table {
        let folder = folder(rule);
        let said = replay(folder.path(), &[]);
        assert_eq!(said.code, Some(code), "{rule}: {}{}", said.out, said.err);
        assert!(format!("{}{}", said.out, said.err).contains(words), "{rule}: {}{}", said.out, said.err);
    }
    let folder = folder(r#"{"type": "command", "command": "true"}"#);
    let recording = folder.path().join("transcripts/s.jsonl");
    let said = replay(folder.path(), &["--html", "transcripts/s.jsonl"]);
    assert_eq!(said.code, Some(64), "{}", said.err);
    assert_eq!(fs::read_to_string(&recording).unwrap(), TRANSCRIPT);
    fs::write(&recording, "").unwrap();
    assert_eq!(replay(folder.path(), &[]).code, Some(3));
}

/// Rotated files of a recorder are read too, oldest first, and what links lead to, once. Special files and broken links are
/// skipped.
#[cfg(unix)]
#[test]
fn a_folder_is_read_with_rotated_files_and_without_special_files() {
    let folder = folder(r#"{"type": "command", "command": "echo 'not that' >&2; exit 2"}"#);
    let transcripts = folder.path().join("transcripts");
    for name in ["s.jsonl.1", "s.jsonl.10", "s.jsonl.2", "notes.txt", "notes.txt.1"] {
        fs::write(transcripts.join(name), TRANSCRIPT).unwrap();
    }
    std::os::unix::fs::symlink("nowhere.jsonl", transcripts.join("broken.jsonl")).unwrap();
    std::os::unix::fs::symlink("..", transcripts.join("up")).unwrap();
    fs::create_dir(folder.path().join("other")).unwrap();
    fs::write(folder.path().join("other/x.jsonl"), TRANSCRIPT).unwrap();
    fs::write(folder.path().join("one.txt"), TRANSCRIPT).unwrap();
    for (to, link) in [("../other", "folder"), ("../one.txt", "one.jsonl"), ("s.jsonl", "twice.jsonl"), (".", "here")] {
        std::os::unix::fs::symlink(to, transcripts.join(link)).unwrap();
    }
    let made = std::process::Command::new("mkfifo").arg(transcripts.join("pipe.jsonl")).status();
    assert!(made.unwrap().success());
    let said = replay(folder.path(), &[]);
    assert_eq!(said.code, Some(2), "{}", said.err);
    assert!(said.out.starts_with("6 dispatches replayed, 6 differ"), "{}", said.out);
    fs::remove_file(transcripts.join("folder")).unwrap();
    fs::remove_file(transcripts.join("one.jsonl")).unwrap();
    fs::remove_dir_all(folder.path().join("other")).unwrap();
    let said = replay(folder.path(), &[]);
    let places = ["s.jsonl.10:1", "s.jsonl.2:1", "s.jsonl.1:1"].map(|name| said.out.find(name).unwrap());
    assert!(places.is_sorted(), "{}", said.out);
}

/// The recorded folder can be on another machine. The command runs in a folder that exists.
#[test]
fn a_command_gets_the_working_directory_of_the_transcript() {
    let folder = folder(
        r#"{"type": "command", "command": "grep -q '\"cwd\":\"/gone/shop\"' && { echo 'in the shop' >&2; exit 2; }; exit 0"}"#,
    );
    let text = TRANSCRIPT.replace(r#""sessionId":"s","#, r#""sessionId":"s","cwd":"/gone/shop","#);
    fs::write(folder.path().join("transcripts/s.jsonl"), text).unwrap();
    let said = replay(folder.path(), &[]);
    assert_eq!(said.code, Some(2), "{}{}", said.out, said.err);
    assert!(said.out.contains("none → deny: in the shop"), "{}", said.out);
}

/// The rules of another project refer to the scripts in its folder.
#[test]
fn rules_run_the_scripts_of_their_project_and_a_missing_script_is_reported() {
    let folder = folder(r#"{"type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR/guard.sh\""}"#);
    fs::create_dir(folder.path().join("shop")).unwrap();
    fs::write(folder.path().join("shop/guard.sh"), "echo 'not in the shop' >&2; exit 2").unwrap();
    let said = replay(folder.path(), &["--project-dir", "shop"]);
    assert!(said.out.contains("none → deny: not in the shop") && said.err.is_empty(), "{}{}", said.out, said.err);
    let said = replay(folder.path(), &[]);
    assert!(said.err.contains("there is no file") && said.err.contains("guard.sh"), "{}", said.err);
}

/// "0 differ" is not "would have denied nothing": a typo in a matcher, or traffic without such calls.
#[test]
fn a_rule_that_ran_for_none_of_the_calls_is_named() {
    let folder = folder(r#"{"type": "command", "command": "exit 2"}"#);
    let group =
        |matcher: &str, more: &str| format!(r#"{{"matcher": "{matcher}", "hooks": [{{"type": "command"{more}}}]}}"#);
    let rules = [
        group("Bsh", r#", "command": "true""#),
        group("Bash", r#", "command": "exit 0""#),
        group("Bash", r#", "command": ":", "async": true"#),
    ];
    let rules = format!("{{\"hooks\": {{\"PreToolUse\": [\n{}\n]}}}}", rules.join(",\n"));
    fs::write(folder.path().join("guards.json"), rules).unwrap();
    let named = "not tried: `guards.json:2` ran for none of 1 dispatches";
    let alone = ["replay", "transcripts", "--trust", "--rules", "guards.json"];
    let against = ["replay", "transcripts", "--trust", "--rules", "rules.json", "--set", "guards.json"];
    for (args, code) in [(&alone[..], 0), (&against, 2)] {
        let said = hooks(folder.path(), &[args, &["--html", "page.html"]].concat());
        assert_eq!(said.code, Some(code), "{}{}", said.out, said.err);
        let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
        let json = hooks(folder.path(), &[args, &["--json"]].concat()).json();
        assert!(said.out.contains(named) && page.contains(named), "{}", said.out);
        assert_eq!(json["ran_for_none"], serde_json::json!({ "guards.json:2": 1 }), "{json}");
    }
}

#[test]
fn files_without_a_rule_are_reported_with_the_reason() {
    let folder = folder(r#"{"type": "command", "command": "true"}"#);
    let rules = folder.path().join("rules.json");
    let text = fs::read_to_string(&rules).unwrap().replace("PreToolUse", "PreToolUses");
    fs::write(rules, text).unwrap();
    let said = replay(folder.path(), &[]);
    assert_eq!(said.code, Some(64), "{}", said.err);
    assert!(said.err.contains("these files have no rule") && said.err.contains("write `PreToolUse`"), "{}", said.err);
}

#[test]
fn rules_are_compared_with_other_rules() {
    let folder = folder(r#"{"type": "command", "command": "echo 'not that' >&2; exit 2"}"#);
    let rules = fs::read_to_string(folder.path().join("rules.json")).unwrap();
    fs::write(folder.path().join("candidate.json"), rules.replace("exit 2", "exit 0")).unwrap();
    let said = replay(folder.path(), &["--set", "candidate.json"]);
    assert_eq!(said.code, Some(2), "{}{}", said.out, said.err);
    assert!(said.out.contains("deny → none: not that"), "{}", said.out);
    let said = replay(folder.path(), &["--set", "rules.json"]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    let said = replay(folder.path(), &["--set", "nowhere.toml"]);
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    assert!(said.err.contains("nowhere.toml"), "{}", said.err);
    let said = replay(folder.path(), &["--set", "no\u{202e}where.toml"]);
    assert!(said.err.contains("no\u{fffd}where.toml"), "{}", said.err);
}

#[test]
fn overrides_of_nothing_are_told_as_such() {
    let folder = folder(r#"{"type": "command", "command": "true"}"#);
    fs::write(folder.path().join("over.toml"), "[hooks.guard]\nenabled = false\n").unwrap();
    let said = hooks(folder.path(), &["replay", "transcripts", "--set", "over.toml"]);
    assert!(said.code == Some(64) && said.err.contains("overrides change hooks"), "{:?} {}", said.code, said.err);
}

/// A context from before a call comes with its result. That the files differ is none of the differences.
#[test]
fn a_context_that_other_rules_add_is_a_difference() {
    let folder = folder(r#"{"type": "command", "command": "true"}"#);
    let result = r#"{"type":"user","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"done"}]}}"#;
    fs::write(folder.path().join("transcripts/s.jsonl"), format!("{TRANSCRIPT}{result}\n")).unwrap();
    let rules = fs::read_to_string(folder.path().join("rules.json")).unwrap();
    let answer =
        r#"echo '{\"hookSpecificOutput\": {\"hookEventName\": \"PreToolUse\", \"additionalContext\": \"on Friday\"}}'"#;
    for (command, differs) in [(answer, true), ("exit 0", false)] {
        fs::write(folder.path().join("other.json"), rules.replace("true", command)).unwrap();
        for (now, set) in [("rules.json", "other.json"), ("other.json", "rules.json")] {
            let said = hooks(folder.path(), &["replay", "transcripts", "--trust", "--rules", now, "--set", set]);
            assert_eq!(said.code, Some(i32::from(differs)), "{}{}", said.out, said.err);
            assert_eq!(said.out.contains("on Friday"), differs, "{}", said.out);
        }
    }
}

/// A hook of the program that only one of the two files names decides there alone.
#[test]
fn compiled_hooks_of_a_candidate_are_compared() {
    let folder = folder(r#"{"type": "command", "command": "true"}"#);
    let candidate =
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "hook", "id": "ask_for", "with": {"Bash": "deny"}}]}]}}"#;
    fs::write(folder.path().join("candidate.json"), candidate).unwrap();
    let said = replay(folder.path(), &["--set", "candidate.json"]);
    assert_eq!(said.code, Some(2), "{}{}", said.out, said.err);
    assert!(said.out.contains("none → deny"), "{}", said.out);

    let swapped = ["replay", "transcripts", "--trust", "--rules", "candidate.json", "--set"];
    let said = hooks(folder.path(), &[swapped.as_slice(), &["rules.json"]].concat());
    assert!(said.code == Some(2) && said.out.contains("deny → none"), "{}{}", said.out, said.err);
    let said = hooks(folder.path(), &[swapped.as_slice(), &["candidate.json"]].concat());
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);

    fs::write(folder.path().join("candidate.json"), candidate.replace("ask_for", "ask_fro")).unwrap();
    let said = replay(folder.path(), &["--set", "candidate.json"]);
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.err);
    assert!(said.err.contains("did you mean `ask_for`?"), "{}", said.err);
}

#[test]
fn a_transcript_may_begin_with_the_mark_of_its_byte_order() {
    let folder = folder(r#"{"type": "command", "command": "echo 'not that' >&2; exit 2"}"#);
    fs::write(folder.path().join("transcripts/s.jsonl"), format!("\u{feff}{TRANSCRIPT}")).unwrap();
    let said = replay(folder.path(), &[]);
    assert!(said.code == Some(2) && said.out.contains("none → deny: not that"), "{}{}", said.out, said.err);
}

#[test]
fn a_transcript_in_another_form_is_told_with_what_helps() {
    let folder = folder(r#"{"type": "command", "command": "true"}"#);
    let messages = r#"[{"role":"user","content":"hi"}]"#;
    let pretty = messages.replace('{', "\n  {").replace(']', "\n]");
    let object = r#"{"hooks":
  {}}"#;
    for (text, helps, not) in
        [(messages, "jq -c", "`--rules`"), (&pretty, "jq -c", "`--rules`"), (object, "`--rules`", "jq -c")]
    {
        fs::write(folder.path().join("transcripts/s.jsonl"), text).unwrap();
        let said = replay(folder.path(), &[]);
        assert_eq!(said.code, Some(3), "{}{}", said.out, said.err);
        assert!(said.out.contains(helps) && !said.out.contains(not), "{text}: {}", said.out);
    }
}

/// As a recording that cannot be read is, wherever the command line names it.
#[test]
fn what_is_no_recording_to_compare_with_is_a_mistake_of_the_command_line() {
    let folder = folder(r#"{"type": "command", "command": "true"}"#);
    for other in ["transcripts", "nowhere.jsonl"] {
        let said = hooks(folder.path(), &["replay", "transcripts/s.jsonl", "--against", other]);
        assert_eq!(said.code, Some(64), "{other}: {}{}", said.out, said.err);
    }
}

#[test]
fn two_recordings_are_compared() {
    let folder = folder(r#"{"type": "command", "command": "true"}"#);
    let line = |word: &str| {
        format!(
            r#"{{"line":"dispatch","kind":"before_tool_call","event":{{}},"runs":[{{"hook":"guard","status":"completed","word":"{word}","verdict":{{"permission":"{word}"}}}}],"word":"{word}","verdict":{{"permission":"{word}"}}}}
"#
        )
    };
    fs::write(folder.path().join("main.jsonl"), line("allow")).unwrap();
    fs::write(folder.path().join("branch.jsonl"), line("deny")).unwrap();
    let said = hooks(folder.path(), &["replay", "main.jsonl", "--against", "branch.jsonl"]);
    assert_eq!(said.code, Some(2), "{}{}", said.out, said.err);
    assert!(said.out.contains("`guard` allow → deny"), "{}", said.out);
    let said = hooks(folder.path(), &["replay", "main.jsonl", "--against", "main.jsonl"]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
}

/// The text is under the key `error`, so it does not repeat the word.
#[test]
fn an_error_in_json_is_only_its_message() {
    let folder = folder(r#"{"type": "command", "command": "true"}"#);
    for args in [&["replay", "nowhere", "--json"][..], &["list", "--no-such-option", "--json"]] {
        let said = hooks(folder.path(), args);
        let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        let error = report["error"].as_str().unwrap();
        assert!(!error.starts_with("error") && !error.is_empty(), "{error}");
        assert!(said.err.contains("error: "), "{}", said.err);
        assert_eq!(report["exit_status"], said.code.unwrap(), "{report}");
    }
}

/// A candidate for one event is compared at this event alone.
#[test]
fn a_candidate_adds_only_the_hooks_of_its_events() {
    let folder = folder(r#"{"type": "command", "command": "true"}"#);
    fs::write(folder.path().join("none.json"), r#"{"hooks": {}}"#).unwrap();
    let said = hooks(
        folder.path(),
        &["replay", "transcripts", "--trust", "--json", "--rules", "none.json", "--set", "rules.json"],
    );
    let report = said.json().to_string();
    assert!(report.contains("rules_pre_tool_use"), "{report}");
    for other in ["rules_conversation", "rules_tool_result", "rules_post_tool_use"] {
        assert!(!report.contains(other), "{other}: {report}");
    }
}
