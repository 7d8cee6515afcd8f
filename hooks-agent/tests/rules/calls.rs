//! Before a call: denied, asked, rewritten, allowed.

use std::sync::{Arc, Mutex};

use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_agent::approve::ApprovalRequest;
use hooks_agent::model::Line;
use hooks_agent::tool::{Tool, ToolError, ToolSpec};
use hooks_agent::{Outcome, TurnEvent};
use serde_json::json;

use super::desk::{Desk, bash, output, prints};

fn decides(decision: &str, reason: &str) -> String {
    prints(&output("PreToolUse", json!({"permissionDecision": decision, "permissionDecisionReason": reason})))
}

#[tokio::test]
async fn a_denied_call_does_not_run_and_the_model_reads_the_reason() {
    let table = [
        ("echo 'not on Fridays' >&2; exit 2".to_owned(), "not on Fridays"),
        (decides("deny", "not on Fridays"), "not on Fridays"),
        (prints(&json!({"decision": "block", "reason": "not on Fridays"})), "not on Fridays"),
        (decides("deny", ""), "no reason given"),
        // Exit code 2 blocks whatever the answer says.
        (format!("{}echo 'not on Fridays' >&2; exit 2", decides("allow", "")), "not on Fridays"),
    ];
    for (script, reason) in table {
        let desk = Desk::new(&[("PreToolUse", "Bash", &script)], [bash("git push"), Line::text("then not")]);
        assert_eq!(desk.turn().await.to_string(), "then not", "{script}");
        assert_eq!(desk.ran(), [json!(null); 0], "{script}");
        let reported = format!("tool: <- Denied: {reason}");
        assert_eq!(desk.sent().last(), Some(&reported), "{script}");
        assert_eq!(
            desk.stored().await,
            ["user: hi", "assistant: -> run_shell_command", &reported, "assistant: then not"]
        );
    }
}

/// A rule that does not match the call, and one that fails, let it through.
#[tokio::test]
async fn calls_that_no_rule_denies_run() {
    for (matcher, script) in [("Write", "exit 2"), ("Bash", "exit 1"), ("Bash", "true"), ("Bash", "cat")] {
        let desk = Desk::new(&[("PreToolUse", matcher, script)], [bash("git status"), Line::text("clean")]);
        desk.turn().await;
        assert_eq!(desk.sent().last().unwrap(), "tool: <- the shell's answer", "{matcher} {script}");
    }
}

#[tokio::test]
async fn a_question_of_a_rule_goes_to_the_approver() {
    let asks = format!(
        "cat >/dev/null\n{}",
        prints(&output(
            "PreToolUse",
            json!({"permissionDecision": "ask", "permissionDecisionReason": "push to main?", "updatedInput": {"command": "git push --dry-run"}}),
        ))
    );
    for (answer, ran, reported) in [
        (Some(Approval::Yes), 1, "the shell's answer"),
        (Some(Approval::No("not today".into())), 0, "Denied: push to main?. not today"),
        (None, 0, "Denied: push to main?. there is nobody to ask"),
    ] {
        let desk = Desk::new(&[("PreToolUse", "Bash", &asks)], [bash("git push"), Line::text("so be it")]);
        let asked: Arc<Mutex<Vec<ApprovalRequest>>> = Arc::default();
        let mut harness = desk.harness();
        if let Some(answer) = answer {
            let asked = Arc::clone(&asked);
            harness = harness.approver(move |request: &ApprovalRequest| {
                asked.lock().unwrap().push(request.clone());
                answer.clone()
            });
        }
        desk.open(harness).await.turn(None, "hi").await;
        assert_eq!(desk.sent().last().unwrap(), &format!("tool: <- {reported}"));
        // The person is asked about the input that would run.
        assert!(asked.lock().unwrap().iter().all(|request| request.input["command"] == "git push --dry-run"));
        assert_eq!(desk.ran(), vec![json!({"command": "git push --dry-run"}); ran]);
    }
}

/// With or without a decision. The whole input is replaced.
#[tokio::test]
async fn a_rewritten_input_reaches_the_tool_and_the_hooks_after_it() {
    for members in [
        json!({"updatedInput": {"command": "ls -l"}}),
        json!({"updatedInput": {"command": "ls -l"}, "permissionDecision": "allow"}),
    ] {
        let rewrites = prints(&output("PreToolUse", members));
        let scripts = [("PreToolUse", "Bash", rewrites.as_str()), ("PostToolUse", "Bash", "cat > after.json")];
        let desk = Desk::new(&scripts, [bash("ls"), Line::text("two files")]);
        desk.turn().await;
        assert_eq!(desk.ran(), [json!({"command": "ls -l"})]);
        assert_eq!(desk.kept("after.json")["tool_input"], json!({"command": "ls -l"}));
    }
}

/// deny > ask > allow, whatever the source: several rules, and compiled hooks.
#[tokio::test]
async fn an_allow_overrides_nothing() {
    let (allows, asks) = (decides("allow", "fine"), decides("ask", "sure?"));
    let desk = Desk::new(
        &[("PreToolUse", "", &allows), ("PreToolUse", "", &asks), ("PreToolUse", "Bash", "echo no >&2; exit 2")],
        [bash("ls"), Line::text("ok")],
    );
    desk.turn().await;
    assert_eq!(desk.sent().last().unwrap(), "tool: <- Denied: no");

    let desk = Desk::new(&[("PreToolUse", "", &allows)], [bash("ls"), Line::text("ok")])
        .compiled(Hook::at::<BeforeToolCall>("policy").reader(|_, _, _| Permission::deny("against the policy")));
    desk.turn().await;
    assert_eq!(desk.sent().last().unwrap(), "tool: <- Denied: against the policy");
}

/// The input that was allowed must be the one that runs: hooks after the rules get the input as the rules left it.
#[tokio::test]
async fn gates_after_the_rules_judge_the_rewritten_input() {
    let rewrites =
        prints(&output("PreToolUse", json!({"updatedInput": {"command": "rm -rf /"}, "permissionDecision": "allow"})));
    let desk = Desk::new(&[("PreToolUse", "", &rewrites)], [bash("ls"), Line::text("ok")]);
    let policy = Hook::at::<BeforeToolCall>("policy").reader(|_, _, input: &ToolInput| {
        let removes = input["command"].as_str().is_some_and(|command| command.starts_with("rm"));
        if removes { Permission::deny("nothing is removed") } else { Permission::NoOpinion }
    });
    let desk = desk.compiled(policy);
    desk.turn().await;
    assert_eq!(desk.sent().last().unwrap(), "tool: <- Denied: nothing is removed");
}

#[tokio::test]
async fn a_denied_call_is_not_a_failure() {
    let scripts =
        [("PreToolUse", "", "exit 2"), ("PostToolUse", "", "touch after"), ("PostToolUseFailure", "", "touch after")];
    let desk = Desk::new(&scripts, [bash("ls"), Line::text("ok")]);
    desk.turn().await;
    assert!(!desk.folder.path().join("after").exists());
}

/// The person cancels the turn while a tool runs.
#[tokio::test]
async fn a_cancelled_call_fires_neither_its_end_nor_its_failure_nor_stop() {
    let scripts = [
        ("PreToolUse", "", "touch before"),
        ("PostToolUseFailure", "", "touch after"),
        ("PostToolUse", "", "touch after"),
        ("Stop", "", "touch after"),
    ];
    let desk = Desk::new(&scripts, [bash("sleep"), Line::text("never")]);
    let session = desk.open(desk.harness().tool(NeverDone)).await;
    let mut turn = session.turn(None, "hi");
    while let Some(event) = turn.next().await {
        if matches!(event, TurnEvent::ToolStarted(_)) {
            turn.cancel();
        }
    }
    assert!(matches!(turn.await.outcome, Outcome::Cancelled));
    assert!(desk.folder.path().join("before").exists() && !desk.folder.path().join("after").exists());
    assert_eq!(desk.transcript("sessions/c-1.jsonl").len(), 3, "the prompt, the call, and what became of it");
}

/// A shell that never completes.
struct NeverDone;

impl Tool for NeverDone {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new("run_shell_command")
    }

    fn run<'a>(
        &'a self,
        _cx: &'a HookContext,
        _call: &'a ToolCall,
        _input: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        Box::pin(std::future::pending())
    }
}

/// `onFailure: block`: a guard that fails denies.
#[tokio::test]
async fn a_guard_that_fails_closed_denies_the_call() {
    let folder = tempfile::tempdir().unwrap();
    let handler = json!({"type": "command", "command": "./nothing-here", "onFailure": "block"});
    let file = json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}});
    let desk = Desk::of_file(folder, &file, [bash("ls"), Line::text("ok")], |rules| rules);
    desk.turn().await;
    assert!(desk.sent().last().unwrap().starts_with("tool: <- Denied: it exited with code 127"), "{:?}", desk.sent());
    assert!(desk.ran().is_empty());
}
