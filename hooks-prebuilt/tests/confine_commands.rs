use hook_sdk::prelude::*;
use hooks_prebuilt::ConfineCommands;
use serde_json::json;

/// Lines with their answer, for the parameters of `judge`.
pub(crate) const LINES: &[(&str, &str)] = &[
    ("git status", "allow"),
    ("git", "allow"),
    ("git log --oneline | head -5", "allow"),
    ("cd src && git diff -- 'a file'", "allow"),
    ("cargo test", "allow"),
    ("cargo test 2>&1 | head -20", "allow"),
    ("cargo test 2>/dev/null", "allow"),
    ("(cd src; git status)", "allow"),
    ("if git status; then head x; fi", "allow"),
    ("# note\ngit status", "allow"),
    ("cargo test --all", "ask"),
    ("cargo build", "ask"),
    ("git status; ls", "ask"),
    ("gitk", "ask"),
    ("./git status", "ask"),
    ("/tmp/git status", "ask"),
    ("'git status'", "ask"),
    ("env git status", "ask"),
    ("LD_PRELOAD=x git status", "ask"),
    ("PATH=/tmp git status", "ask"),
    ("git status > ~/.bashrc", "ask"),
    ("git diff >> x", "ask"),
    ("git status $(ls)", "ask"),
    ("git status `ls`", "ask"),
    ("git $X", "deny"),
    ("git status &", "allow"),
    ("git status & ls", "ask"),
    ("git status\nls", "ask"),
    ("git status || ls", "ask"),
    ("head <(ls)", "ask"),
    ("echo x | xargs git", "deny"),
    ("git() { ls; }; git", "ask"),
    ("alias git=ls; git", "deny"),
    ("eval 'git status'", "ask"),
    ("sh -c 'git status'", "ask"),
    ("git status \"", "deny"),
    ("", "ask"),
    ("rm -rf /", "deny"),
    ("git status; rm x", "deny"),
    ("sudo rm x", "deny"),
    ("sh -c 'rm x'", "deny"),
    ("find . -exec rm {} +", "deny"),
    ("r\\m x", "deny"),
    ("/bin/rm x", "deny"),
    ("git status && $(echo rm) x", "deny"),
    ("git push origin main", "ask"),
];

pub(crate) fn commands() -> ConfineCommands {
    let with = json!({ "tools": ["bash"], "allow": ["git *", "cargo test", "head *", "cd *"], "ask": ["git push *"], "deny": ["rm *"] });
    serde_json::from_value(with).unwrap()
}

#[test]
fn every_command_of_a_line_has_to_be_allowed_and_one_is_enough_to_be_denied() {
    let commands = commands();
    let mut wrong = Vec::new();
    for (line, expected) in LINES {
        let answer = match commands.judge("bash", &json!({ "command": line })) {
            Permission::Allow => "allow",
            Permission::Ask(_) => "ask",
            Permission::Deny(_) => "deny",
            _ => "none",
        };
        // Stricter than expected is never a hole, but may be a nuisance.
        if answer != *expected {
            wrong.push(format!("{line:?}: {answer}, expected {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    for input in [json!({}), json!({ "command": 7 }), json!({ "command": ["git", "status"] }), json!("git status")] {
        assert!(commands.judge("bash", &input).denial().is_some(), "{input}");
    }
    assert_eq!(commands.judge("read", &json!({})), Permission::NoOpinion);
    let strict: ConfineCommands = serde_json::from_value(json!({ "tools": ["bash"], "else": "deny" })).unwrap();
    assert!(strict.judge("bash", &json!({ "command": "ls" })).denial().is_some());
}

#[test]
fn all_mistakes_in_parameters_are_said_at_once() {
    let wrong = json!({ "deny": ["rm )("], "else": "allow", "alow": [] });
    let error = serde_json::from_value::<ConfineCommands>(wrong).unwrap_err().to_string();
    for part in ["`tools` is missing", "`else`", "did you mean `allow`"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}
