//! Before a person is asked, rules may answer.

use std::sync::{Arc, Mutex};

use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_agent::Outcome;
use hooks_agent::approve::ApprovalRequest;
use hooks_agent::model::Line;
use serde_json::{Value, json};

use super::desk::{Desk, bash, output, prints};

fn decides(decision: &Value) -> String {
    prints(&output("PermissionRequest", json!({ "decision": decision })))
}

/// A turn in which a gate asks about each call except trial calls. Returns the result, and how often the person was
/// asked.
async fn asked(script: &str) -> (Desk, Outcome, usize) {
    let desk = Desk::new(&[("PermissionRequest", "Bash", script)], [bash("git push"), Line::text("so be it")]);
    let desk = desk.compiled(Hook::at::<BeforeToolCall>("may_i").reader(|_, _, input: &ToolInput| {
        let command = input["command"].as_str().unwrap_or_default().to_owned();
        match command {
            command if command.contains("--force") => Permission::deny("never by force"),
            command if command.contains("--dry-run") => Permission::NoOpinion,
            command => Permission::ask(format!("{command}?")),
        }
    }));
    let people: Arc<Mutex<Vec<Value>>> = Arc::default();
    let person = Arc::clone(&people);
    let harness = desk.harness().approver(move |request: &ApprovalRequest| {
        person.lock().unwrap().push((*request.input).clone());
        Approval::Yes
    });
    let outcome = desk.open(harness).await.turn(None, "hi").await.outcome;
    let times = people.lock().unwrap().len();
    (desk, outcome, times)
}

#[tokio::test]
async fn a_rule_answers_in_place_of_the_approver() {
    let (ran, no) = ("the shell's answer", "Denied: not on Fridays");
    let table = [
        (decides(&json!({"behavior": "allow"})), ran, 0),
        (decides(&json!({"behavior": "deny", "message": "not on Fridays"})), no, 0),
        // What has no effect at this event leaves the decision to the person.
        ("true".to_owned(), ran, 1),
        ("echo no >&2; exit 2".to_owned(), ran, 1),
        (prints(&json!({"decision": "block", "reason": "no"})), ran, 1),
        (decides(&json!({"behavior": "maybe"})), ran, 1),
    ];
    for (script, reported, people) in table {
        let (desk, _, times) = asked(&script).await;
        assert_eq!(
            (desk.sent().last().unwrap().as_str(), times),
            (format!("tool: <- {reported}").as_str(), people),
            "{script}"
        );
    }
}

/// The gates judge what will run.
#[tokio::test]
async fn the_gates_judge_an_input_again_that_a_rule_rewrote() {
    let rewrites = |command: &str| decides(&json!({"behavior": "allow", "updatedInput": {"command": command}}));
    for (command, reported, ran, people) in [
        ("git push --dry-run", "the shell's answer", 1, 0),
        ("git push --force", "Denied: never by force", 0, 0),
        // A different question than the one that was answered.
        ("git push origin", "the shell's answer", 1, 1),
    ] {
        let (desk, _, times) = asked(&rewrites(command)).await;
        assert_eq!(desk.sent().last().unwrap(), &format!("tool: <- {reported}"), "{command}");
        assert_eq!((desk.ran(), times), (vec![json!({ "command": command }); ran], people), "{command}");
    }
}

#[tokio::test]
async fn a_rule_that_interrupts_ends_the_turn() {
    let (desk, outcome, times) =
        asked(&decides(&json!({"behavior": "deny", "message": "hands off", "interrupt": true}))).await;
    assert!(matches!(outcome, Outcome::Halted(halt) if halt.reason.as_str() == "hands off"));
    assert_eq!((desk.ran().len(), times), (0, 0));
}

/// If nobody asks, there is no request.
#[tokio::test]
async fn a_call_without_a_question_fires_no_permission_request() {
    let desk = Desk::new(&[("PermissionRequest", "", "exit 2")], [bash("ls"), Line::text("ok")]);
    desk.turn().await;
    assert!(desk.runs.lock().unwrap().is_empty());
    assert_eq!(desk.ran().len(), 1);
}
