//! What is reported of rules, to the app and in records: which ones matched, and nothing else.

use std::sync::{Arc, Mutex};

use hook_sdk::record::{Record, Skip, Status};
use hooks_agent::TurnEvent;
use hooks_agent::model::Line;

use super::desk::{Desk, Script, bash};

/// The reported kinds, each with the hook that ran.
type Reported<'a> = &'a [(&'a str, &'a str)];

#[tokio::test]
async fn a46_rules_that_do_not_match_are_not_reported_and_neither_are_their_helper_hooks() {
    let table: [(&[Script<'_>], Reported<'_>); 3] = [
        // Rules at three events, none of which matches.
        (&[("PreToolUse", "Write", "exit 2"), ("PostToolUse", "Write", "true"), ("SessionEnd", "other", "true")], &[]),
        (
            &[("PreToolUse", "Bash", "true"), ("PostToolUse", "Write", "true")],
            &[("before_tool_call", "rules_pre_tool_use")],
        ),
        (
            &[("UserPromptSubmit", "", "echo more"), ("PreToolUse", "Write", "exit 2"), ("Stop", "", "true")],
            &[("user_prompt_submit", "rules_user_prompt_submit"), ("stop", "rules_stop")],
        ),
    ];
    for (scripts, expected) in table {
        let desk = Desk::new(scripts, [bash("ls"), Line::text("done")]);
        let ran = Arc::<Mutex<Vec<(&str, String)>>>::default();
        let seen = Arc::clone(&ran);
        desk.registry.observe(move |record: &Record| {
            for run in &record.runs {
                match run.status {
                    Status::Completed => seen.lock().unwrap().push((record.kind, run.hook.to_string())),
                    status => assert_eq!(status, Status::Skipped(Skip::Filter), "{}", run.hook),
                }
            }
        });
        let session = desk.session().await;
        let mut turn = session.turn(None, "hi");
        let mut reported = Vec::new();
        while let Some(event) = turn.next().await {
            if let TurnEvent::Fired { kind, .. } = event {
                reported.push(kind);
            }
        }
        assert_eq!(turn.await.to_string(), "done");
        assert_eq!(reported, expected.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), "{scripts:?}");
        let expected: Vec<_> = expected.iter().map(|(kind, hook)| (*kind, (*hook).to_owned())).collect();
        assert_eq!(*ran.lock().unwrap(), expected, "{scripts:?}");
    }
}
