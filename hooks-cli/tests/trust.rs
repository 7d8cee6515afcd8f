//! `hooks trust`: the content that was shown is the content that is trusted.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "the helpers of tests are tests too")]

use std::fs;
use std::path::Path;

use crate::support::{Said, assert_snapshot, hooks, hooks_with};

const RULES: &str = r#"{"hooks": {
  "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "touch ran"}]}],
  "Stop": [{"hooks": [
    {"type": "command", "command": "node", "args": ["a b.js", "--strict"]},
    {"type": "command", "command": "echo one\necho two # a line as long as nobody reads it in a list ............ rm -rf ~"},
    {"type": "http", "url": "http://localhost:8080/hook"}
  ]}]
}}"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("hooks.json"), RULES).unwrap();
    folder
}

fn trust(folder: &Path, args: &[&str]) -> Said {
    let adds = !args.iter().any(|arg| ["--list", "--remove"].contains(arg));
    let yes: &[&str] = if adds { &["--yes"] } else { &[] };
    hooks(folder, &[["trust", "--trust-file", "trust.json"].as_slice(), yes, args].concat())
}

/// Whether the rules run.
fn runs(folder: &Path) -> bool {
    let args = ["dispatch", "--event", "PreToolUse", "--trust-file", "trust.json", "hooks.json"];
    let said = hooks_with(folder, &args, br#"{"tool_name": "Bash"}"#);
    let ran = fs::remove_file(folder.join("ran")).is_ok();
    assert_eq!(said.code, Some(if ran { 0 } else { 77 }), "{}", said.err);
    ran
}

#[test]
fn a_file_is_trusted_until_it_changes() {
    let folder = folder();
    assert!(!runs(folder.path()));
    let said = trust(folder.path(), &["hooks.json"]);
    assert_snapshot("trust.txt", &said.out);
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
    assert!(runs(folder.path()));
    fs::write(folder.path().join("a b.js"), "evil()").unwrap();
    assert!(runs(folder.path()), "a script is not part of the fingerprint");
    fs::write(folder.path().join("hooks.json"), format!("{RULES}\n")).unwrap();
    assert!(!runs(folder.path()), "a changed file is not trusted");
    let before = |report: serde_json::Value| report["files"][0]["before"].as_str().unwrap().to_owned();
    assert_eq!(before(trust(folder.path(), &["--json", "hooks.json"]).json()), "changed");
    assert_eq!(before(trust(folder.path(), &["--json", "hooks.json"]).json()), "unchanged");
    assert!(runs(folder.path()));
    assert_eq!(trust(folder.path(), &["--remove", "hooks.json"]).code, Some(0));
    assert!(!runs(folder.path()));
    let said = trust(folder.path(), &["--remove", "hooks.json"]);
    assert!(said.code == Some(1) && said.err.contains("was not trusted"), "{}", said.err);
}

#[test]
fn trusted_files_are_listed_with_their_current_state() {
    let folder = folder();
    let list = |args: &[&str]| trust(folder.path(), &[["--list"].as_slice(), args].concat());
    assert!(list(&[]).out.contains("trust.json trusts nothing"));
    for name in ["same.json", "changed.json", "gone.json"] {
        fs::write(folder.path().join(name), RULES).unwrap();
    }
    assert_eq!(trust(folder.path(), &["same.json", "changed.json", "gone.json"]).code, Some(0));
    fs::write(folder.path().join("changed.json"), "{}").unwrap();
    fs::remove_file(folder.path().join("gone.json")).unwrap();
    let report = list(&["--json"]).json();
    let states = report["files"].as_array().unwrap().iter().map(|file| {
        let name = Path::new(file["file"].as_str().unwrap()).file_name().unwrap().to_str().unwrap().to_owned();
        format!("{name} {}", file["state"].as_str().unwrap())
    });
    assert_eq!(states.collect::<Vec<_>>(), ["changed.json changed", "gone.json gone", "same.json trusted"]);
    let words = list(&[]).out;
    assert!(words.contains("no longer trusted") && words.contains("cannot be read any more"), "{words}");
    assert_eq!(
        trust(folder.path(), &["--remove", "gone.json"]).code,
        Some(0),
        "a deleted file can be removed from the list"
    );
    assert_eq!(list(&["--json"]).json()["files"].as_array().unwrap().len(), 2);
}

/// The user confirms all files together, so one file that cannot be shown prevents the trust of all.
#[test]
fn no_file_is_trusted_unless_all_files_can_be_shown() {
    let folder = folder();
    fs::write(folder.path().join("broken.json"), "{").unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    for bad in ["broken.json", "nowhere.json", "empty"] {
        let said = trust(folder.path(), &["hooks.json", bad]);
        assert!(said.code == Some(1) && said.err.contains("nothing was trusted"), "{bad}: {}", said.err);
        assert!(!runs(folder.path()) && !folder.path().join("trust.json").exists(), "{bad}");
    }
}

#[test]
fn trust_in_a_plugin_folder_applies_to_its_rule_file() {
    let folder = folder();
    fs::create_dir_all(folder.path().join("guards/hooks")).unwrap();
    fs::rename(folder.path().join("hooks.json"), folder.path().join("guards/hooks/hooks.json")).unwrap();
    assert_eq!(trust(folder.path(), &["guards"]).code, Some(0));
    let args = ["dispatch", "--event", "PreToolUse", "--trust-file", "trust.json", "guards"];
    assert_eq!(hooks_with(folder.path(), &args, br#"{"tool_name": "Bash"}"#).code, Some(0));
    assert_eq!(trust(folder.path(), &["--remove", "guards"]).code, Some(0));
    assert_eq!(hooks_with(folder.path(), &args, br#"{"tool_name": "Bash"}"#).code, Some(77));
}

#[test]
fn invalid_input_and_write_errors_are_reported() {
    let folder = folder();
    // The file does not exist, and the name of its temporary file would be too long.
    let long = "t".repeat(250);
    let table: &[(&[&str], &str, i32)] = &[
        (&["trust", "--yes", "--list"], "cannot be used with", 64),
        (&["trust", "--trust-file", "t"], "name the files", 64),
        (&["trust", "--trust-file", "t", "--list", "hooks.json"], "cannot be used with", 64),
        (&["trust", "--trust-file", "t", "--list", "--remove"], "cannot be used with", 64),
        (&["trust", "--trust-file", "t", "-"], "name a file", 64),
        (&["trust", "--trust-file", "hooks.json", "hooks.json"], "is not a trust file", 1),
        (&["trust", "--yes", "--trust-file", &long, "hooks.json"], &long, 74),
    ];
    for (args, words, code) in table {
        let said = hooks(folder.path(), args);
        assert!(said.err.contains(words) && said.code == Some(*code), "{args:?}: {:?} {}", said.code, said.err);
        assert_eq!(said.out, "", "{args:?}");
    }
    assert_eq!(
        fs::read_to_string(folder.path().join("hooks.json")).unwrap(),
        RULES,
        "the rule file is not overwritten"
    );
}

/// The content of a file must not control the terminal of the person who judges it.
#[test]
fn a_command_cannot_hide_behind_control_characters() {
    let folder = folder();
    let text = r#"{"hooks": {"Stop": [{"matcher": "\u001b[2J", "hooks": [{"type": "command", "command": "evil\r\u001b[1A\u202etrue"}]}]}}"#;
    fs::write(folder.path().join("hooks.json"), text).unwrap();
    let said = trust(folder.path(), &["--color", "always", "hooks.json"]);
    let plain = anstream::adapter::strip_str(&said.out).to_string();
    assert!(plain.contains("evil\u{fffd}\u{fffd}[1A\u{fffd}true"), "{plain:?}");
    assert!(!said.out.contains("\u{1b}[2J") && !said.out.contains("\u{1b}[1A"), "{:?}", said.out);
}

/// Everything that affects a rule is shown, and nothing is trusted without confirmation.
#[test]
fn everything_is_shown_before_anything_is_trusted() {
    let folder = folder();
    let text = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
        {"type": "command", "command": "./a.sh", "if": "Bash(git *)", "onFailure": "block", "timeout": 7, "shell": "powershell"},
        {"type": "command", "command": "./b.sh", "asyncRewake": true},
        {"type": "http", "url": "http://localhost", "headers": {"Authorization": "Bearer $OPENAI_API_KEY"}, "allowedEnvVars": ["OPENAI_API_KEY"]},
        {"type": "hook", "id": "mask", "with": {"keep": 4}}
    ]}]}}"#;
    fs::write(folder.path().join("hooks.json"), text).unwrap();
    let args = ["trust", "--trust-file", "trust.json", "hooks.json"];
    let said = hooks(folder.path(), &args);
    assert_eq!(said.code, Some(77), "{}", said.err);
    assert!(said.err.contains("--yes") && !folder.path().join("trust.json").exists(), "{}", said.err);
    for words in [
        "./a.sh",
        "if: Bash(git *)",
        "onFailure: block",
        "timeout: 7",
        "shell: powershell",
        "asyncRewake: true",
        "Bearer $OPENAI_API_KEY",
        "allowedEnvVars: [\"OPENAI_API_KEY\"]",
        "with: {\"keep\":4}",
    ] {
        assert!(said.out.contains(words), "{words}: {}", said.out);
    }
    let report = hooks(folder.path(), &[args.as_slice(), &["--json"]].concat());
    assert_eq!((report.code, report.json()["trusted"].as_bool()), (Some(77), Some(false)));
    assert_eq!(report.json()["files"][0]["rules"][0]["details"]["if"], "Bash(git *)");
}

/// Runs itself on a terminal, which `script` provides.
#[cfg(target_os = "linux")]
#[test]
fn a_file_is_trusted_if_somebody_answers_yes() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/command-line.md")).unwrap();
    let line = format!("'{}' trust --trust-file trust.json hooks.json", env!("CARGO_BIN_EXE_hooks"));
    for (answer, code) in [("y\n", 0), ("n\n", 77), ("\n", 77)] {
        let folder = folder();
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).current_dir(folder.path()).env("HOME", folder.path());
        script.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        // Not on a machine without it.
        let Ok(mut child) = script.spawn() else { return };
        std::io::Write::write_all(child.stdin.as_mut().unwrap(), answer.as_bytes()).unwrap();
        let said = Said::from(child.wait_with_output().unwrap());
        assert_eq!((said.code, runs(folder.path())), (Some(code), code == 0), "{answer:?}: {}", said.out);
        let asked = said.out.lines().find_map(|line| line.find("[y/N]").map(|end| line[..end].to_owned())).unwrap();
        assert!(page.contains(&format!("\n{asked}[y/N] y\n")), "{asked}");
    }
}

/// `trust` and `dispatch` must use the same file.
#[test]
fn the_default_trust_file_is_in_the_config_folder_of_the_user() {
    let folder = folder();
    let config = folder.path().join("config");
    let run = |args: &[&str], input: &str| {
        let mut command = crate::support::program(folder.path());
        let mut child = command.args(args).env("XDG_CONFIG_HOME", &config).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).ok();
        Said::from(child.wait_with_output().unwrap())
    };
    let dispatch = ["dispatch", "--event", "PreToolUse", "hooks.json"];
    assert_eq!(run(&dispatch, r#"{"tool_name": "Bash"}"#).code, Some(77));
    assert_eq!(run(&["trust", "--yes", "hooks.json"], "").code, Some(0));
    assert!(config.join("hooks/trust.json").exists());
    assert_eq!(run(&dispatch, r#"{"tool_name": "Bash"}"#).code, Some(0));
}
