//! Matchers, line by line of `data/matchers.toml`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "the helpers of tests are tests too")]

use crate::support::{self, Line, data, json};
use hooks_rules::{Aliases, Dialect, Event, Matcher, RuleFile};
use proptest::prelude::*;

fn read(line: &Line, at: usize) -> (Dialect, Event, Option<serde_json::Value>) {
    let dialect = support::dialect(line[at].as_str().unwrap());
    let event = Event::named(line[at + 1].as_str().unwrap()).unwrap();
    (dialect, event, json(&line[at + 2]))
}

#[test]
fn every_line_selects_the_expected_values() {
    let lines = data("matchers.toml", "lines");
    assert!(lines.len() >= 100, "{} lines", lines.len());
    for line in &lines {
        let (dialect, event, written) = read(line, 1);
        let matcher = Matcher::read(dialect, event, written.as_ref()).unwrap_or_else(|bad| panic!("{line:?}: {bad}"));
        assert_eq!(matcher.selects(line[4].as_str().unwrap()), line[5].as_bool().unwrap(), "{line:?}");
    }
}

#[test]
fn an_invalid_matcher_is_an_error_that_says_what_to_write() {
    for line in &data("matchers.toml", "refused") {
        let (dialect, event, written) = read(line, 1);
        let bad = Matcher::read(dialect, event, written.as_ref()).expect_err(&format!("{line:?}"));
        assert!(
            !bad.problem.is_empty()
                && (bad.help.starts_with("write") || bad.help.starts_with("keep") || bad.help.starts_with("list")),
            "{bad:?}"
        );
    }
}

/// Expressions are matched in linear time: one with exponential backtracking elsewhere is fast.
#[test]
fn an_expression_with_catastrophic_backtracking_is_fast() {
    let matcher = Matcher::read(Dialect::Claude, Event::PreToolUse, Some(&"^(a+)+$".into())).unwrap();
    assert!(!matcher.selects(&format!("{}!", "a".repeat(200_000))));
}

/// A rule for either name of a tool selects it, in both dialects.
#[test]
fn aliases_match_both_ways() {
    let aliases = Aliases::default();
    let written = [
        (Dialect::Claude, serde_json::json!("Bash")),
        (Dialect::Claude, serde_json::json!("run_shell_command")),
        (Dialect::Agentao, serde_json::json!({"tool_name": "run_shell_command"})),
        (Dialect::Agentao, serde_json::json!({"toolName": "Bash"})),
    ];
    for (dialect, written) in written {
        let matcher = Matcher::read(dialect, Event::PreToolUse, Some(&written)).unwrap();
        for tool in ["run_shell_command", "Bash"] {
            assert!(matcher.selects_any(aliases.names(tool)), "{written} against {tool}");
        }
        assert!(!matcher.selects_any(aliases.names("read_file")), "{written}");
    }
}

proptest! {
    /// Any matcher is either parsed or rejected, in either dialect, and matching terminates.
    #[test]
    fn parsing_any_matcher_never_panics(pattern in "[a-zA-Z_|,* .?+(){}^$\\[\\]\\\\é-]{0,30}", value in "[a-zA-Z_é]{0,20}") {
        for (dialect, written) in [
            (Dialect::Claude, serde_json::json!(pattern)),
            (Dialect::Agentao, serde_json::json!({"tool_name": pattern})),
        ] {
            if let Ok(matcher) = Matcher::read(dialect, Event::PreToolUse, Some(&written)) {
                let _ = matcher.selects(&value);
            }
        }
    }

    /// A name without special characters selects itself and nothing longer, in both dialects.
    #[test]
    fn a_plain_name_selects_itself(name in "[A-Za-z_][A-Za-z0-9_]{0,20}", more in "[a-z0-9_]{1,5}") {
        for (dialect, written) in [
            (Dialect::Claude, serde_json::json!(name)),
            (Dialect::Agentao, serde_json::json!({"tool_name": name})),
        ] {
            let matcher = Matcher::read(dialect, Event::PreToolUse, Some(&written)).unwrap();
            let longer = [format!("{name}{more}"), format!("{more}{name}")];
            prop_assert!(matcher.selects(&name));
            prop_assert!(longer.iter().all(|name| !matcher.selects(name)));
        }
    }
}

/// What is certain never to run for a server is told; an expression whose alternatives each may select something is not.
#[test]
fn a_rule_tells_whether_it_may_judge_the_tools_of_a_server() {
    let rule = |event: &str, group: serde_json::Value, condition: serde_json::Value| {
        let mut group = group;
        group["hooks"] = serde_json::json!([{"type": "command", "command": "true"}]);
        if condition.is_string() {
            group["hooks"][0]["if"] = condition;
        }
        let text = serde_json::json!({"hooks": {event: [group]}}).to_string();
        RuleFile::read("hooks.json", &text).rules.remove(0)
    };
    for (matcher, may) in [
        ("", true),
        ("*", true),
        ("mcp__files__read", true),
        ("Bash|mcp__files__read", true),
        ("mcp__files__.*", true),
        ("mcp__(files|mail)__.*", true),
        ("mcp__.*__read", true),
        ("^mcp__f.*", true),
        (".*delete.*", true),
        ("mcp__mail__.*|.*delete.*", true),
        ("Bash", false),
        ("Bash|Edit", false),
        ("mcp__flies__read", false),
        ("mcp__flies__.*", false),
        ("^mcp__flies__.*|mcp__mail__.*", false),
    ] {
        let of = rule("PreToolUse", serde_json::json!({"matcher": matcher}), ().into());
        assert_eq!(of.may_judge_server("files"), may, "{matcher}");
    }
    for (condition, may) in [
        ("mcp__files", true),
        ("mcp__files__*", true),
        ("mcp__*", true),
        ("mcp__mail__*", false),
        ("Bash(rm *)", false),
        ("mcp__files2", false),
    ] {
        let of = rule("PreToolUse", serde_json::json!({}), condition.into());
        assert_eq!(of.may_judge_server("files"), may, "{condition}");
    }
    for (event, may) in
        [("PermissionRequest", true), ("PostToolUseFailure", true), ("Stop", false), ("PermissionDenied", false)]
    {
        assert_eq!(rule(event, serde_json::json!({}), ().into()).may_judge_server("files"), may, "{event}");
    }
}
