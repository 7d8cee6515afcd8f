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
    ("git commit -m 'a -> b'", "allow"),
    ("git log --author='Ada <a@example.org>'", "allow"),
    (r#"git commit -m "Vec<T> > Vec<U>""#, "allow"),
    (r"git commit -m a\ \>\ b", "allow"),
    ("git mv x y", "allow"),
    ("head -n 3 'a > b'", "allow"),
    ("git log 'a' >'b'", "ask"),
    ("git log a>b", "ask"),
    ("git log 2>|b", "ask"),
    ("git log &>b", "ask"),
    ("git log >&b", "ask"),
    ("git log <>b", "deny"),
    ("git log $'a\\'' >b", "ask"),
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
    ("head < /dev/tcp/192.0.2.1/80", "ask"),
    ("head < '/dev/t'cp/192.0.2.1/80", "ask"),
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
    // What sets a variable, or expands a glob, without being an assignment or a word of a command.
    ("((PATH=1)); git status", "ask"),
    ("[[ PATH=1 -eq 1 ]] && git status", "ask"),
    ("for ((PATH=1;;)); do git status; done", "ask"),
    ("for x in *; do git status; done", "ask"),
    ("for x in a; do git status; done", "ask"),
    ("git status < *", "ask"),
    ("git status {PATH}>&2", "ask"),
    ("[[ -f x && a == b* ]] && git status", "allow"),
    ("[ 1 -eq 1 ] && git status", "allow"),
    ("[[ -d a-v ]] && git status", "allow"),
    ("[ -v x ] && git status", "ask"),
    ("[[ ! -v x ]] && git status", "ask"),
    ("[[ -f x &&-v y ]] && git status", "ask"),
    ("case x in a*) git status;; esac", "allow"),
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

/// A variable can be any word of a command, but not every command.
#[test]
fn a_pattern_of_several_words_judges_only_what_may_be_its_program() {
    let with = json!({ "tools": ["bash"], "allow": ["echo *"], "ask": ["git push *"], "deny": ["rm -rf *", "npm:*"] });
    let commands: ConfineCommands = serde_json::from_value(with).unwrap();
    let table = [
        ("echo $HOME", "asks because what the line runs is not known before it runs"),
        ("cat $F | grep x", "asks because what the line runs is not known before it runs"),
        ("for i in *; do echo $i; done", "asks because what the line runs is not known before it runs"),
        ("rm x", "asks because `rm x` is not one of the allowed commands"),
        ("echo x", "allows"),
        ("git push $X", "denies"),
        ("git push x", "asks because the line runs, or may run, what `Bash(git push *)` asks about"),
        ("rm -rf x", "denies"),
        ("rm $X", "denies"),
        ("rm -r -f $X; rm -rf x", "denies"),
        ("$X -rf x", "denies"),
        ("sh -c \"$X\"", "denies"),
        ("echo $(rm -rf x)", "denies"),
        ("npm $X", "denies"),
    ];
    for (line, expected) in table {
        let answer = match commands.judge("bash", &json!({ "command": line })) {
            Permission::Allow => "allows".to_owned(),
            Permission::Ask(question) => format!("asks because {}", question.reason.as_str()),
            _ => "denies".to_owned(),
        };
        assert_eq!(answer, expected, "{line}");
    }
}

/// A question about one command is no permission for the others of its line.
#[test]
fn with_else_deny_a_person_is_asked_only_about_lines_that_are_known() {
    let with = json!({ "tools": ["bash"], "allow": ["ls *"], "ask": ["git push *"], "else": "deny" });
    let commands: ConfineCommands = serde_json::from_value(with).unwrap();
    let judge = |line: &str| commands.judge("bash", &json!({ "command": line }));
    for line in ["git push", "git push origin 'a branch'", "ls x && git push"] {
        assert!(matches!(judge(line), Permission::Ask(_)), "{line}: {:?}", judge(line));
    }
    for line in ["git push x; curl y", "ls $(curl x)", "ls 'a", "curl $(git push x)", "sh -c 'git push'; curl y"] {
        assert!(judge(line).denial().is_some(), "{line}: {:?}", judge(line));
    }
}

#[test]
fn all_mistakes_in_parameters_are_said_at_once() {
    let wrong = json!({ "deny": ["rm )("], "else": "allow", "alow": [] });
    let error = serde_json::from_value::<ConfineCommands>(wrong).unwrap_err().to_string();
    for part in ["`tools` is missing", "`else`", "did you mean `allow`"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    let nothing = serde_json::from_value::<ConfineCommands>(json!({ "tools": [] })).unwrap_err().to_string();
    assert!(nothing.contains("`tools` is empty"), "{nothing}");
}

#[test]
fn a_pattern_that_allows_nothing_is_told() {
    let read = |allow: &str| {
        let with = json!({ "tools": ["Bash"], "allow": [allow] });
        serde_json::from_value::<ConfineCommands>(with).map_err(|error| error.to_string())
    };
    for (allow, told) in [
        ("ls:*", "`ls:*` allows nothing; write `ls *`"),
        ("Bash(ls *)", "write the words of one command"),
        ("ls; rm *", "write the words of one command"),
        ("git diff | head", "write the words of one command"),
        ("git commit -m \"*\"", "without quotes"),
        ("echo $HOME", "write the words of one command"),
        ("cat x > y", "write the words of one command"),
        ("", "write the words of one command"),
    ] {
        let error = read(allow).expect_err(allow);
        assert!(error.contains(told), "{allow}: {error}");
    }
    let sensible = "* | git | git * | git-* status | cargo test | cargo t?st * | * --version | npm run build:* | ./scripts/*.sh | \
        python3 * | make * | find * | sed -n * | awk * | env * | timeout * | sudo * | xargs * | docker * | kubectl get * | time * | \
        test * | nice * | node * | sh * | bash * | watch * | ssh * | psql * | tar * | git commit -m * | cd * | echo *";
    for allow in sensible.split(" | ") {
        read(allow).unwrap_or_else(|error| panic!("{allow}: {error}"));
    }
}
