//! For any input, the program reports what is wrong, and its exit status is meaningful.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "the helpers of tests are tests too")]

use std::fs;

use crate::support::{RULES, folder, hooks, hooks_with};

#[test]
fn every_command_reports_an_invalid_file() {
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

#[test]
fn an_unreadable_file_does_not_prevent_checking_the_others() {
    let folder = folder();
    let report = hooks(folder.path(), &["check", "--json", "nowhere", "hooks.json"]).json();
    assert_eq!((&report["rules"], &report["errors"]), (&1.into(), &1.into()));
}

#[cfg(unix)]
#[test]
fn a_file_without_read_permission_is_reported_with_a_suggestion() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder();
    let file = folder.path().join("hooks.json");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&file).is_ok() {
        eprintln!("skipped: this user can read every file");
        return;
    }
    let said = hooks(folder.path(), &["check", "hooks.json"]);
    assert!(said.out.contains("permission denied") && said.out.contains("chmod u+r"), "{}", said.out);
    assert_eq!(said.code, Some(1));
}

#[test]
fn the_folder_of_a_plugin_is_read_and_passed_to_its_commands() {
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

/// The paths can be different.
#[cfg(unix)]
#[test]
fn a_file_that_is_named_twice_is_read_once_with_a_warning() {
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
fn nothing_runs_before_the_files_are_trusted() {
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
    assert_eq!(run(&trust_file).0, Some(77), "a missing trust file trusts nothing");
    let mut trust = hooks_rules::Trust::open(folder.path().join("trust.json")).unwrap();
    trust.trust(&folder.path().join("hooks.json")).unwrap();
    let (code, ran, words) = run(&trust_file);
    assert_eq!((code, ran), (Some(0), true), "{words}");
    fs::write(folder.path().join("hooks.json"), format!("{RULES} ")).unwrap();
    assert_eq!(run(&trust_file).0, Some(77), "a changed file is not trusted");
    fs::write(folder.path().join("trust.json"), "no").unwrap();
    assert!(run(&trust_file).2.contains("is not a trust file"));
}

#[test]
fn ask_and_defer_have_their_own_exit_status() {
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
fn control_characters_of_rules_and_commands_are_replaced() {
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
