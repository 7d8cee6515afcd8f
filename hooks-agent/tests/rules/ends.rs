//! The end of a turn: scripts continue it, up to a limit.

use hooks_agent::model::Line;
use hooks_agent::{Limits, Outcome};
use serde_json::json;

use super::desk::{Desk, bash, output, prints};

const FOLLOW_UP: &str = "user: <system-reminder>a stop hook asks to go on</system-reminder>\n";

/// With an exit code, with an answer, and with only a context.
#[tokio::test]
async fn a_turn_continues_with_the_reason_and_the_script_is_informed() {
    for says in [
        "echo 'run the tests' >&2; exit 2".to_owned(),
        prints(&json!({"decision": "block", "reason": "run the tests"})),
        prints(&output("Stop", json!({"additionalContext": "run the tests"}))),
    ] {
        let script = format!(
            "input=$(cat); echo \"$input\" >> given.jsonl\ncase $input in *'\"stop_hook_active\":true'*) exit 0 ;; esac\n{says}"
        );
        let desk = Desk::new(&[("Stop", "", &script)], [Line::text("done"), Line::text("tests pass")]);
        assert_eq!(desk.turn().await.to_string(), "tests pass", "{says}");
        assert_eq!(desk.sent().last().unwrap(), &format!("{FOLLOW_UP}run the tests"));
        let given: Vec<serde_json::Value> =
            desk.read("given.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let reported: Vec<_> =
            given.iter().map(|one| (&one["stop_hook_active"], &one["last_assistant_message"])).collect();
        assert_eq!(reported, [(&json!(false), &json!("done")), (&json!(true), &json!("tests pass"))]);
    }
}

const NEVER_ENDS: &str = "echo 'once more' >&2; exit 2";

#[tokio::test]
async fn a_script_can_continue_a_turn_eight_times_in_a_row() {
    let desk = Desk::new(&[("Stop", "", NEVER_ENDS)], (1..20).map(|i| Line::text(format!("answer {i}"))));
    let reply = desk.turn().await;
    assert_eq!(reply.to_string(), "answer 9");
    assert_eq!(reply.system_messages, ["rules continued this turn too often in a row; it ends"]);
    // Another turn starts counting from zero.
    assert_eq!(desk.turn().await.to_string(), "answer 18");
}

/// Only consecutive continuations count: a tool call resets the counter.
#[tokio::test]
async fn a_tool_call_resets_the_count_of_continuations() {
    let lines = (1..=8).map(|i| Line::text(format!("answer {i}"))).chain([bash("make test")]);
    let lines = lines.chain((1..20).map(|i| Line::text(format!("then {i}"))));
    let desk = Desk::new(&[("Stop", "", NEVER_ENDS)], lines);
    assert_eq!(desk.turn().await.to_string(), "then 9");
}

/// The loop's own limit applies too.
#[tokio::test]
async fn the_limit_of_the_loop_applies_to_rules_too() {
    let desk = Desk::new(&[("Stop", "", NEVER_ENDS)], (1..20).map(|i| Line::text(format!("answer {i}"))));
    let mut limits = Limits::default();
    limits.stop_continues = 2;
    assert_eq!(desk.open(desk.harness().limits(limits)).await.turn(None, "hi").await.to_string(), "answer 3");
}

#[tokio::test]
async fn messages_for_the_user_come_with_the_answer() {
    let desk = Desk::new(&[("Stop", "", &prints(&json!({"systemMessage": "2 files changed"})))], [Line::text("done")]);
    let reply = desk.turn().await;
    assert_eq!(
        (reply.to_string().as_str(), reply.system_messages.as_slice()),
        ("done", &["2 files changed".to_owned()][..])
    );
}

/// Only in flat files: an error replaces the answer.
#[tokio::test]
async fn a_flat_rule_blocks_the_answer() {
    let command = prints(&json!({"blockingError": "that is confidential"}));
    let file = json!({"hooks": {"Stop": [{"type": "command", "command": command}]}});
    let desk = Desk::of_file(tempfile::tempdir().unwrap(), &file, [Line::text("the plan is")], |rules| rules);
    let reply = desk.turn().await;
    assert!(
        matches!(&reply.outcome, Outcome::AnswerBlocked { reason, .. } if reason.as_str() == "that is confidential")
    );
    assert_eq!(desk.stored().await, ["user: hi", "assistant: [Blocked by Stop hook] that is confidential"]);
}
