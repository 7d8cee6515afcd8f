//! Files that do not do what their author intended: `check` reports each problem with its position and a suggestion.
#![allow(clippy::unwrap_used, clippy::panic, reason = "the helpers of tests are tests too")]
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::support::{folder, hooks};

/// A correct handler.
const GOOD: &str = r#"{"type": "command", "command": "true"}"#;

/// The name of a file, its text, the line of the defect, and parts of its problem and its help. `GOOD` is a handler.
const FILES: &[(&str, &str, usize, &str, &str)] = &[
    (
        "hooks.json",
        r#"{"hooks": {"PreToolUse": [{"Matcher": "Bash", "hooks": [GOOD]}]}}"#,
        1,
        "`Matcher` has no meaning here, so its handlers run for everything",
        "write `matcher`",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"PreToolUse": [{"matchers": "Bash", "hooks": [GOOD]}]}}"#,
        1,
        "`matchers` has no meaning here",
        "write `matcher`",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true", "timout": 5}]}]}}"#,
        1,
        "`timout` has no meaning here, so it has the default timeout",
        "write `timeout`",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true", "onfailure": "block"}]}]}}"#,
        1,
        "`onfailure` has no meaning here, so its failure does not block",
        "write `onFailure`",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true", "If": "Bash(git *)"}]}]}}"#,
        1,
        "`If` has no meaning here, so it runs for every call",
        "write `if`",
    ),
    (
        "hooks.json",
        r#"{"Hooks": {"PreToolUse": [{"hooks": [GOOD]}]}}"#,
        1,
        "`Hooks` has no meaning here, so no rule under it runs",
        "write `hooks`",
    ),
    (
        "hooks.json",
        r#"{"hook": {"PreToolUse": [{"hooks": [GOOD]}]}}"#,
        1,
        "`hook` has no meaning here",
        "write `hooks`",
    ),
    (
        "hooks.json",
        "{\n\"hooks\": {\"PreToolUse\": {\"matcher\": \"Bash\", \"hooks\": [GOOD]}}}",
        2,
        "`PreToolUse` has a list of groups",
        "put it into a list",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"PreToolUse": [{"matcher": "bash", "hooks": [GOOD]}]}}"#,
        1,
        "`bash` is not a known `tool_name`",
        "write `Bash`",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Edti|Write", "hooks": [GOOD]}]}}"#,
        1,
        "`Edti` is not a known `tool_name`",
        "write `Edit`",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"SessionStart": [{"matcher": "start", "hooks": [GOOD]}]}}"#,
        1,
        "`start` is not a known `source`",
        "write one of startup",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"PreCompact": [{"matcher": "^Auto$", "hooks": [GOOD]}]}}"#,
        1,
        "selects no known `trigger`",
        "write one of manual",
    ),
    (
        "hooks.json",
        r#"{"disableAllHooks": true, "hooks": {"Stop": [{"hooks": [GOOD]}]}}"#,
        1,
        "`disableAllHooks` switches every rule",
        "remove it",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./is-not-there.sh"}]}]}}"#,
        1,
        "there is no file `./is-not-there.sh`: it exits with code 127",
        "$CLAUDE_PROJECT_DIR",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/gone.sh --x"}]}]}}"#,
        1,
        "gone.sh`: it exits with code 127",
        "$CLAUDE_PROJECT_DIR",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./gone.sh", "onFailure": "block"}]}]}}"#,
        1,
        "there is no file `./gone.sh`: it exits with code 127, and `onFailure: block` denies",
        "$CLAUDE_PROJECT_DIR",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./plain.sh"}]}]}}"#,
        1,
        "`./plain.sh` is not executable",
        "chmod +x",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./odd.sh"}]}]}}"#,
        1,
        "`./odd.sh` needs `no-such-interpreter`",
        "install it",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "python3 gone.py"}]}]}}"#,
        1,
        "gone.py",
        "project's folder",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "no-such-program --x"}]}]}}"#,
        1,
        "there is no program `no-such-program`",
        "install it",
    ),
    (
        "settings.json",
        r#"{"hooks": {"Stop": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}"#,
        1,
        "a matcher has no effect at `Stop`",
        "remove it",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"Stop": [{"matcher": {"tool_name": "Bash"}, "type": "command", "command": "true"}]}}"#,
        1,
        "a matcher has no effect at `Stop`",
        "remove it",
    ),
    (
        "settings.json",
        r#"{"hooks": {"UserPromptSubmit": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}"#,
        1,
        "a matcher has no effect at `UserPromptSubmit`",
        "remove it",
    ),
    (
        "settings.json",
        r#"{"hooks": {"SessionStart": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true"}]}]}}"#,
        1,
        "`Bash` is not a known `source`",
        "write one of",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "./x", "args": ["a"]}]}]}}"#,
        1,
        "there is no file `./x`",
        "$CLAUDE_PROJECT_DIR",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "http", "url": "ftp://desk"}]}]}}"#,
        1,
        "requests go to `http://` and `https://`",
        "the whole address",
    ),
    (
        "settings.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "$CLAUDE_PLUGIN_ROOT/x.sh"}]}]}}"#,
        1,
        "`$CLAUDE_PLUGIN_ROOT` is set for plugins only",
        "$CLAUDE_PROJECT_DIR",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "[[ -f x ]] && exit 2"}]}]}}"#,
        1,
        "`[[` is bash's",
        "bash -c",
    ),
    (
        "hooks.json",
        r#"{"version": 1, "hooks": {"beforeShellExecution": [{"command": "./x.sh"}]}}"#,
        1,
        "this is a file of Cursor",
        "keep it for that program",
    ),
    (
        "settings.json",
        r#"{"hooks": {"BeforeTool": [{"matcher": "x", "hooks": [{"type": "command", "command": "true"}]}]}}"#,
        1,
        "this is a file of Gemini CLI",
        "keep it for that program",
    ),
    (
        "copilot.json",
        r#"{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "./x.sh", "timeoutSec": 5}]}}"#,
        1,
        "this is a file of GitHub Copilot",
        "keep it for that program",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"AfterTool": [], "Stop": [{"hooks": [GOOD]}]}}"#,
        1,
        "`AfterTool` is an event of Gemini CLI",
        "keep it in the file",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true", "command": "false"}]}]}}"#,
        1,
        "the key `command` appears twice",
        "keep one",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo "hi""}]}]}}"#,
        1,
        "this is not JSON: found `h`",
        "for a quote within a string",
    ),
    ("hooks.json", r#"{"hooks": {"Stpo": [{"hooks": [GOOD]}]}}"#, 1, "there is no event `Stpo`", "write `Stop`"),
    (
        "hooks.json",
        r#"{"hooks": {"Whatever": [{"hooks": [GOOD]}]}}"#,
        1,
        "there is no event `Whatever`",
        "the chapter on rules",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"preToolUse": [{"hooks": [GOOD]}]}}"#,
        1,
        "there is no event `preToolUse`",
        "write `PreToolUse`",
    ),
    (
        ".claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"type": "command", "command": "exit 2"}]}}"#,
        1,
        "no inner `hooks` list",
        "inner list",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"PreToolUse": [{"type": "command", "command": "exit 2"}]}}"#,
        1,
        "exit code 2 is a failure",
        "inner lists",
    ),
    ("hooks.json", r#"{"PreToolUse": [{"hooks": [GOOD]}]}"#, 1, "not under `hooks`", "around them"),
    (
        "hooks.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true", "if": "Bash(a) || Bash(b)"}]}]}}"#,
        1,
        "is not one permission rule",
        "second handler",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash(git *)", "hooks": [GOOD]}]}}"#,
        1,
        "looks like a permission rule",
        "as matcher",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true", "timeout": 30000}]}]}}"#,
        1,
        "`timeout` is in seconds",
        "milliseconds",
    ),
    (
        "hooks.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "agent", "prompt": "x"}]}]}}"#,
        1,
        "are not supported here",
        "compiled hook",
    ),
    ("hooks.json", "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [GOOD,]}]}}", 1, "a trailing comma", "remove it"),
    ("hooks.json", "{\n  // note\n  \"hooks\": {}}", 2, "JSON has no comments", "remove it"),
    ("hooks.json", r#"{"hooks": ["PreToolUse"]}"#, 1, "`hooks` maps events to lists", "PreToolUse"),
    (
        "hooks.json",
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "comand": "true"}]}]}}"#,
        1,
        "needs `command`",
        "./check.sh",
    ),
];

#[test]
fn check_reports_each_mistake_with_its_position_and_a_suggestion() {
    assert!(FILES.len() >= 40);
    for (name, text, at, problem, help) in FILES {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text.replace("GOOD", GOOD)).unwrap();
        fs::write(folder.path().join("plain.sh"), "true\n").unwrap();
        let odd = folder.path().join("odd.sh");
        fs::write(&odd, "#!/usr/bin/env no-such-interpreter\n").unwrap();
        fs::set_permissions(&odd, fs::Permissions::from_mode(0o755)).unwrap();
        let said = hooks(folder.path(), &["check", "--json", name]).json();
        let defects = said["defects"].as_array().unwrap();
        let word = |defect: &serde_json::Value, key: &str| defect[key].as_str().unwrap().to_owned();
        let found = defects.iter().find(|defect| word(defect, "problem").contains(problem));
        let found = found.unwrap_or_else(|| panic!("{text}\n{defects:#?}"));
        assert!(word(found, "help").contains(help), "{text}\n{found:#}");
        assert_eq!(found["line"].as_u64(), Some(*at as u64), "{text}\n{found:#}");
        assert!(found["column"].as_u64() > Some(0), "{text}\n{found:#}");
    }
}

/// A hint does not change the exit status, and other programs do not count it as a problem.
#[test]
fn a_guard_without_on_failure_gets_a_hint() {
    let folder = folder();
    let said = hooks(folder.path(), &["check", "--strict", "hooks.json"]);
    assert!(said.out.starts_with("hint: if this rule fails, the call goes on\n --> hooks.json:1:"), "{}", said.out);
    assert!(
        said.out.contains("no errors or warnings, 1 hint; 1 rule in 1 file") && said.code == Some(0),
        "{}",
        said.out
    );
    let report = hooks(folder.path(), &["check", "--json", "hooks.json"]).json();
    assert_eq!((&report["warnings"], &report["hints"]), (&0.into(), &1.into()));
    assert_eq!(report["defects"][0]["severity"], "hint");
    let github = hooks(folder.path(), &["check", "--format", "github", "hooks.json"]).out;
    assert!(github.starts_with("::notice "), "{github}");
    let sarif = hooks(folder.path(), &["check", "--format", "sarif", "hooks.json"]).json();
    assert_eq!(sarif["runs"][0]["results"][0]["level"], "note");
}

#[test]
fn a_correct_file_has_no_errors_or_warnings() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("guard.sh");
    fs::write(&script, "#!/bin/sh\nexit 0\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    let text = r#"{"$schema": "x", "description": "d", "hooks": {
        "PreToolUse": [
            {"matcher": "Bash|mcp__shop__cancel", "id": "a", "hooks": [
                {"type": "command", "command": "./guard.sh", "name": "n", "description": "d", "_comment": "c", "onFailure": "block"},
                {"type": "command", "command": "\"$CLAUDE_PROJECT_DIR\"/guard.sh --strict", "timeout": 5, "onFailure": "block"},
                {"type": "command", "command": "if true; then exit 0; fi", "async": true},
                {"type": "command", "command": "MODE=x ./guard.sh && echo ok | grep -q ok", "asyncRewake": true, "rewakeMessage": "m"}
            ]},
            {"matcher": "^mcp__.*", "hooks": [{"type": "command", "command": "$HOME/.x/guard.sh", "onFailure": "continue"}]}
        ],
        "SessionStart": [{"matcher": "startup|resume", "hooks": [{"type": "command", "command": "true"}]}],
        "SessionEnd": [{"matcher": "my_own_word", "hooks": [{"type": "command", "command": "true"}]}]
    }}"#;
    fs::write(folder.path().join("hooks.json"), text).unwrap();
    let said = hooks(folder.path(), &["check", "hooks.json"]);
    assert!(said.out.contains("no errors or warnings; 7 rules"), "{}", said.out);
}
