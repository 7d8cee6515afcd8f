//! What `explain` reports about rules that do not run, and the reports of runs.

use std::sync::{Arc, Mutex};

use hooks_rules::{Event, Occurrence, SkipReason};

use super::support::*;

const TEXT: &str = r#"{"hooks": {
    "PreToolUse": [
        {"matcher": "Bash", "hooks": [
            {"type": "command", "command": "echo first >&2; exit 2"},
            {"type": "command", "command": "true", "if": "Bash(git *)"},
            {"type": "command", "command": "echo first >&2; exit 2", "timeout": 9},
            {"type": "command", "command": "off"}
        ]},
        {"matcher": "Edit", "hooks": [{"type": "command", "command": "true"}]}
    ],
    "Stop": [{"hooks": [{"type": "command", "command": "true"}]}],
    "Notification": [{"hooks": [{"type": "command", "command": "true"}]}]
}}"#;

fn call(command: &str) -> Occurrence {
    let mut call = Occurrence::new(Event::PreToolUse);
    call.set("tool_name", "run_shell_command").set("tool_input", json!({ "command": command }));
    call
}

#[test]
fn explain_reports_why_each_rule_does_not_run() {
    let rules = Rules::builder().text("hooks.json", TEXT).build();
    let off = rules.list().into_iter().find(|rule| rule.summary == "off").unwrap();
    rules.disable(off.id.as_str());
    let why: Vec<_> = rules.explain(&call("ls")).into_iter().map(|explained| explained.skip).collect();
    let first = rules.list()[0].id.clone();
    let against = vec!["run_shell_command".to_owned(), "Bash".to_owned()];
    let wanted = [
        None,
        Some(SkipReason::Filter { filter: "Bash(git *)".to_owned() }),
        Some(SkipReason::SameAs { rule: first }),
        Some(SkipReason::Disabled),
        Some(SkipReason::Matcher { against }),
        Some(SkipReason::OtherEvent),
        Some(SkipReason::OtherEvent),
    ];
    assert_eq!(why, wanted);
    let never = rules.explain(&Occurrence::new(Event::Notification));
    assert_eq!(never.last().unwrap().skip, Some(SkipReason::NeverFired));
}

/// The rules without an obstacle in `explain` are those of `select`.
#[test]
fn explain_and_select_agree() {
    let rules = Rules::builder().text("hooks.json", TEXT).build();
    for occurrence in
        [call("ls"), call("git status"), Occurrence::new(Event::Stop), Occurrence::new(Event::Notification)]
    {
        let explained = rules.explain(&occurrence);
        let let_in: Vec<_> = explained.into_iter().filter(|e| e.skip.is_none()).map(|e| e.rule).collect();
        assert_eq!(let_in, rules.select(&occurrence));
    }
}

#[tokio::test]
async fn answers_are_reported_with_their_runs() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let observed = Arc::clone(&heard);
    let text = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo no >&2; exit 2"}]}]}}"#;
    let hear = move |run: &hooks_rules::RuleRun, answer: &hooks_rules::Answer, _: &hooks_rules::CommandOutput| {
        observed.lock().unwrap().push((run.code, answer.decision.clone()));
    };
    let rules = Rules::builder().text("h", text).observe_answers(hear).build();
    let _ = shell(&set(&rules), "ls").await;
    assert_eq!(*heard.lock().unwrap(), [(Some(2), hooks_rules::RuleDecision::Deny("no".to_owned()))]);
}
