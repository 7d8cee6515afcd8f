//! `if`: which calls one permission rule selects.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

use std::path::Path;

use hooks_rules::{Aliases, Filter};
use proptest::prelude::*;
use serde_json::json;

fn selects(rule: &str, tool: &str, input: &serde_json::Value) -> bool {
    Filter::read(rule).unwrap().selects(&Aliases::default(), tool, input, Some(Path::new("/home/me/repo")))
}

#[test]
fn every_command_of_a_line_is_held_against_the_rule() {
    let table = [
        ("Bash", "anything at all", true),
        ("Bash(*)", "anything at all", true),
        ("Bash(git *)", "git status", true),
        ("Bash(git *)", "git", true),
        ("Bash(git *)", "gitk", false),
        ("Bash(git:*)", "git log", true),
        ("Bash(git*)", "gitk", true),
        ("Bash(git push *)", "git status", false),
        ("Bash(git push *)", "GIT_DIR=x CI='a b' git push origin", true),
        ("Bash(git push *)", "cargo test && git push origin", true),
        ("Bash(git push *)", "cargo test; git push origin", true),
        ("Bash(git push *)", "true | git push origin", true),
        ("Bash(git push *)", "true & git push origin", true),
        ("Bash(git push *)", "cd x\ngit push origin", true),
        ("Bash(git push *)", "(cd x && git push origin)", true),
        ("Bash(rm *)", "echo $(rm -rf x)", true),
        ("Bash(rm *)", "echo `rm -rf x`", true),
        ("Bash(rm *)", "echo \"$(rm -rf x)\"", true),
        ("Bash(rm *)", "echo 'rm -rf x; rm y'", false),
        ("Bash(rm *)", "echo \"a; rm y\"", false),
        ("Bash(rm *)", "echo a\\; rm y", false),
        // A rule that says more than a name runs where the line computes parts of itself.
        ("Bash(git push *)", "$CMD", true),
        ("Bash(git push *)", "echo $(date)", true),
        ("Bash(git push *)", "echo `date`", true),
        ("Bash(rm *)", "echo $HOME", false),
        ("Bash(git push *)", "echo '$HOME'", false),
        ("Bash(git push *)", "echo costs 5$ today", false),
        // A line that cannot be read runs the rule.
        ("Bash(git push *)", "echo 'open", true),
        ("Bash(git push *)", "echo \"open", true),
        ("Bash(git push *)", "echo $(open", true),
        ("Bash(npm run test)", "npm run test", true),
        ("Bash(npm run test)", "npm run test:e2e", false),
        ("run_shell_command(git *)", "git log", true),
        ("Read(git *)", "git log", false),
    ];
    for (rule, line, expected) in table {
        assert_eq!(selects(rule, "run_shell_command", &json!({"command": line})), expected, "{rule} against {line}");
    }
}

#[test]
fn files_are_held_against_patterns() {
    let table = [
        ("Edit(*.ts)", "Edit", "/home/me/repo/src/a.ts", true),
        ("Edit(*.ts)", "Write", "/home/me/repo/a.ts", true),
        ("Edit(*.ts)", "Read", "/home/me/repo/a.ts", false),
        ("Edit(*.ts)", "Edit", "/home/me/repo/a.tsx", false),
        ("Edit(src/**)", "Edit", "/home/me/repo/src/a/b.rs", true),
        ("Edit(src/**)", "Edit", "/home/me/repo/lib/src/a.rs", false),
        ("Edit(**/src/**)", "Edit", "/home/me/repo/lib/src/a.rs", true),
        ("Edit(src/*.rs)", "Edit", "/home/me/repo/src/a/b.rs", false),
        ("Edit(src/**)", "Edit", "/elsewhere/src/a.rs", false),
        ("Read(//etc/**)", "read_file", "/etc/passwd", true),
        ("Read(//etc/**)", "read_file", "/home/etc/passwd", false),
        ("Edit(src/**)", "replace", "src/a.rs", true),
        ("Edit(a?.rs)", "Edit", "/x/ab.rs", true),
    ];
    for (rule, tool, file, expected) in table {
        assert_eq!(selects(rule, tool, &json!({"file_path": file})), expected, "{rule} against {tool} {file}");
    }
    assert!(selects(
        "WebFetch(domain:desk.example.com)",
        "WebFetch",
        &json!({"url": "https://me@desk.example.com:443/a?b"})
    ));
    assert!(!selects(
        "WebFetch(domain:desk.example.com)",
        "web_fetch",
        &json!({"url": "https://desk.example.com.evil.example/"})
    ));
    assert!(selects("mcp__memory__*", "mcp__memory__read", &json!({})));
    assert!(selects("Other(x)", "Other", &json!({"a": 1})), "what is not understood runs");
}

#[test]
fn an_if_is_exactly_one_rule() {
    for bad in [
        "",
        "Bash(git *",
        "Bash(a) || Bash(b",
        "Bash(a) || Bash(b)",
        "Bash(a),Edit(b)",
        "Bash(a $(b)) | Bash(c)",
        "Bash, Read",
        "(x)",
        "Bash Read",
    ] {
        assert!(Filter::read(bad).is_err(), "{bad}");
    }
    for good in ["Bash(echo $(date) || true)", "Bash(a (b), c)", "Bash(case x) *)"] {
        assert!(Filter::read(good).is_ok(), "{good}");
    }
}

proptest! {
    /// No line panics or takes long, and quoting is never taken for a command.
    #[test]
    fn no_line_panics(line in "[a-z $`\"'();|&\\\\=\n]{0,200}", rule in "[a-z* :]{1,20}") {
        let _ = selects(&format!("Bash({rule})"), "Bash", &json!({"command": line}));
    }
}
