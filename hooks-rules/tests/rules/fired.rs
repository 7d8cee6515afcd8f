//! The combined result of all rules of an event, if at least one rule was selected.

use std::sync::{Arc, Mutex};

use hook_sdk::data::Messages;
use hooks_rules::{Dialect, EventSummary};

use super::support::*;

/// The hook set of a file, and the combined results of its rules as JSON.
fn listened(text: &str, dialect: Dialect) -> (HookSet, Arc<Mutex<Vec<Value>>>) {
    let seen: Arc<Mutex<Vec<Value>>> = Arc::default();
    let listener = Arc::clone(&seen);
    let on_summary = move |fired: &EventSummary| listener.lock().unwrap().push(json!(fired));
    let rules = Rules::builder().text("hooks.json", text).dialect(dialect).on_summary(on_summary).build();
    (set(&rules), seen)
}

#[tokio::test]
async fn an_event_is_reported_once_if_any_rule_matched() {
    let answer = prints(&output("PreToolUse", json!({"permissionDecision": "deny", "additionalContext": "c"})));
    let handler = |line: &str| json!({"type": "command", "command": line});
    let text = json!({"hooks": {"PreToolUse": [
        {"matcher": "Bash", "hooks": [handler(&answer), handler("exit 1"), handler("true")]},
        {"matcher": "Read", "hooks": [handler("exit 2")]},
    ]}});
    let (set, seen) = listened(&text.to_string(), Dialect::Claude);
    let other = call("lookup", json!({}));
    let input = other.input.clone();
    let _ = set.fire(&HookContext::new(), &BeforeToolCall::new(other), input).await.unwrap();
    assert!(seen.lock().unwrap().is_empty(), "no rule is for it");

    let _ = shell(&set, "ls").await;
    let seen = seen.lock().unwrap();
    let [fired] = seen.as_slice() else { panic!("{seen:?}") };
    assert_eq!(fired["matched"].as_array().unwrap().len(), 3);
    assert_eq!(fired["decided_by"], fired["matched"][0]);
    assert_eq!(
        (&fired["event"], &fired["outcome"], &fired["contexts"], &fired["failures"], &fired["details"]["tool_name"]),
        (&json!("PreToolUse"), &json!("deny"), &json!(1), &json!(1), &json!("Bash"))
    );
}

#[tokio::test]
async fn the_report_of_the_end_of_a_turn_has_its_reason_and_whether_rules_may_continue() {
    let text = json!({"hooks": {"Stop": [{"type": "command", "command": "echo more >&2; exit 2"}]}});
    let (set, seen) = listened(&text.to_string(), Dialect::Agentao);
    let cx = HookContext::builder().conversation("c-1").build();
    let _ = set.fire(&cx, &Stop::new("max_iterations"), ()).await.unwrap();
    for _ in 0..8 {
        let _ = set.fire(&cx, &Stop::new("final_response").stop_hook_active(true), ()).await.unwrap();
    }
    let seen = seen.lock().unwrap();
    let outcomes: Vec<_> = seen.iter().map(|fired| fired["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes[0], "continue_at_max_iter");
    assert!(outcomes[1..8].iter().all(|outcome| *outcome == "continue"), "{outcomes:?}");
    assert_eq!(outcomes[8], "reentry_capped");
    let details = json!({"turn_end_reason": "max_iterations", "at_max_iter": true, "stop_hook_active": false});
    assert_eq!((&seen[0]["details"], &seen[0]["reason"]), (&details, &json!("more")));
}

#[tokio::test]
async fn the_end_of_a_session_and_a_compaction_are_reported_too() {
    let stop = prints(&json!({"preventContinuation": true, "stopReason": "paused", "additionalContext": ["a", "b"]}));
    let text = json!({"hooks": {
        "UserPromptSubmit": [{"type": "command", "command": stop}],
        "PreCompact": [{"type": "command", "command": "true"}],
    }});
    let (set, seen) = listened(&text.to_string(), Dialect::Agentao);
    let prompt = UserPromptSubmit::new("hi", Messages::default());
    let _ = set.fire(&HookContext::new(), &prompt, Messages::default()).await.unwrap();
    let _ =
        set.fire(&HookContext::new(), &BeforeCompaction::new("auto", "full", Messages::default()), ()).await.unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!(
        (&seen[0]["outcome"], &seen[0]["reason"], &seen[0]["contexts"]),
        (&json!("stop"), &json!("paused"), &json!(2))
    );
    let details = json!({"trigger": "auto", "compaction_type": "full"});
    assert_eq!((&seen[1]["outcome"], &seen[1]["details"]), (&json!("none"), &details));
}

/// The report and the event say the same of the limit of steps, whatever the reason is.
#[tokio::test]
async fn the_limit_of_steps_is_that_of_the_event() {
    let text = json!({"hooks": {"Stop": [{"type": "command", "command": "echo more >&2; exit 2"}]}});
    let (set, seen) = listened(&text.to_string(), Dialect::Agentao);
    let cx = HookContext::builder().conversation("c-2").build();
    let _ = set.fire(&cx, &Stop::new("final_response").at_iteration_cap(true), ()).await.unwrap();
    let seen = seen.lock().unwrap();
    assert_eq!(
        (&seen[0]["outcome"], &seen[0]["details"]["at_max_iter"]),
        (&json!("continue_at_max_iter"), &json!(true))
    );
}

/// Text that is no object is context at the end of a turn, as at a prompt.
#[tokio::test]
async fn plain_text_at_the_end_of_a_turn_is_context() {
    let text = json!({"hooks": {"Stop": [{"type": "command", "command": "echo just text"}]}});
    let (set, _) = listened(&text.to_string(), Dialect::Agentao);
    let fired = set.fire(&HookContext::new(), &Stop::new("final_response"), ()).await.unwrap();
    assert!(format!("{:?}", fired.verdict).contains("just text"), "{:?}", fired.verdict);
}
