//! Cases that cannot be data: state that a hook keeps between dispatches, and JSON forms.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::record::{FailureKind, Note, Skip, Status};
use hook_sdk::scope::HookUse;
use serde_json::{Value, json};

/// Number of consecutive failures of each tool.
#[derive(Default)]
struct Failed(Mutex<HashMap<String, u32>>);

/// Coaches the model after a failure of a tool, three times at most.
#[hook(id = "coach", kind = after_tool_call_failure)]
fn coach(cx: &HookContext, event: &AfterToolCallFailure, result: &mut ToolResult) -> Result<(), MissingState> {
    let mut failed = cx.state::<Failed>()?.0.lock().unwrap();
    let times = failed.entry(event.call.name.clone()).or_default();
    *times += 1;
    if *times <= 3 {
        result.add_context("read the error, then try another input");
    }
    Ok(())
}

/// Resets the count of a tool that succeeded.
#[hook(id = "forget_failures", kind = after_tool_call_success)]
fn forget_failures(cx: &HookContext, event: &AfterToolCallSuccess) -> Result<(), MissingState> {
    cx.state::<Failed>()?.0.lock().unwrap().remove(&event.call.name);
    Ok(())
}

fn set(uses: impl Fn() -> Vec<hook_sdk::scope::HookRef>) -> HookSet {
    let agent = AgentDef::new("test").hooks(uses().into_iter().map(HookUse::from));
    Registry::empty().with(uses()).unwrap().scope(&agent, None).unwrap()
}

#[test]
fn v46_a_hook_coaches_three_failures_of_a_tool_and_starts_again_after_a_success() {
    let set = set(|| hooks![coach, forget_failures].into_iter().collect());
    let cx = HookContext::builder().state(Failed::default()).build();
    let coached = |tool: &str| {
        let event = AfterToolCallFailure::new(ToolCall::new("c", tool, json!({})), json!({}), "offline");
        let fired = set.fire_blocking(&cx, &event, ToolResult::error("offline")).unwrap();
        fired.subject.unwrap().additional_context.len()
    };
    assert_eq!(["a", "a", "b", "a", "a", "b"].map(coached), [1, 1, 1, 1, 0, 1]);
    let event = AfterToolCallSuccess::new(ToolCall::new("c", "a", json!({})), json!({}));
    let _fired = set.fire_blocking(&cx, &event, ToolResult::new("found")).unwrap();
    assert_eq!(["a", "b", "b"].map(coached), [1, 1, 0]);
}

/// The conversations that were nudged in their current run.
#[derive(Default)]
struct Nudged(Mutex<HashSet<String>>);

/// Asks for an answer if the model gave none, once per run.
#[hook(id = "nudge", kind = post_model_call)]
fn nudge(cx: &HookContext, reply: &ModelReply) -> Result<ReplyVerdict, MissingState> {
    let run = cx.conversation().unwrap_or_default().to_owned();
    let first = reply.content.is_empty() && cx.state::<Nudged>()?.0.lock().unwrap().insert(run);
    Ok(if first { ReplyVerdict::Continue } else { ReplyVerdict::NoOpinion })
}

#[hook(id = "forget_nudge", kind = stop)]
fn forget_nudge(cx: &HookContext) -> Result<(), MissingState> {
    cx.state::<Nudged>()?.0.lock().unwrap().remove(cx.conversation().unwrap_or_default());
    Ok(())
}

#[test]
fn v50_a_nudge_is_given_once_in_a_run_and_again_after_its_stop() {
    let set = set(|| hooks![nudge, forget_nudge].into_iter().collect());
    let cx = HookContext::builder().conversation("one").state(Nudged::default()).build();
    let answer = |cx: &HookContext| {
        set.fire_blocking(cx, &PostModelCall::new("end_turn"), ModelReply::default()).unwrap().verdict
    };
    assert_eq!((answer(&cx), answer(&cx)), (ReplyVerdict::Continue, ReplyVerdict::NoOpinion));
    let other = cx.to_builder().conversation("two").build();
    assert_eq!(answer(&other), ReplyVerdict::Continue, "another run has its own limit");
    let _fired = set.fire_blocking(&cx, &Stop::new("final_response"), ()).unwrap();
    assert_eq!((answer(&cx), answer(&other)), (ReplyVerdict::Continue, ReplyVerdict::NoOpinion));
}

#[test]
fn p32_the_json_words_of_records_are_stable() {
    let statuses = [
        (Status::Completed, json!("completed"), "completed"),
        (Status::Failed, json!("failed"), "failed"),
        (Status::TimedOut, json!("timed_out"), "timed out"),
        (Status::Panicked, json!("panicked"), "panicked"),
        (Status::Cancelled, json!("cancelled"), "cancelled"),
        (Status::Skipped(Skip::Filter), json!({"skipped": "filter"}), "skipped: its filter did not match"),
        (Status::Skipped(Skip::Disabled), json!({"skipped": "disabled"}), "skipped: disabled"),
        (Status::Skipped(Skip::Removed), json!({"skipped": "removed"}), "skipped: the subject was removed"),
        (Status::Skipped(Skip::Decided), json!({"skipped": "decided"}), "skipped: an earlier verdict is final"),
        (Status::Skipped(Skip::Aborted), json!({"skipped": "aborted"}), "skipped: the dispatch ended with an error"),
    ];
    for (status, word, shown) in statuses {
        assert_eq!((serde_json::to_value(status).unwrap(), status.to_string()), (word, shown.to_owned()));
    }
    let failures = [
        (FailureKind::Error, "error", "error"),
        (FailureKind::Panicked, "panicked", "panic"),
        (FailureKind::TimedOut, "timed_out", "timeout"),
        (FailureKind::Violation, "violation", "rule broken"),
    ];
    for (failure, word, shown) in failures {
        assert_eq!((serde_json::to_value(failure).unwrap(), failure.to_string()), (word.into(), shown.to_owned()));
    }
    let notes = [
        (Note::AllowOutdated, "allow_outdated"),
        (Note::FallbackAnswered, "fallback_answered"),
        (Note::SubjectFrozen, "subject_frozen"),
    ];
    for (note, word) in notes {
        assert_eq!(serde_json::to_value(note).unwrap(), Value::from(word));
    }
}

#[test]
fn p32_an_event_round_trips_through_json() {
    let event = json!({"prompt": "hi", "contributions": [{"kind": "audit", "params": {"message": "seen"}}]});
    let read: PrePromptContext = serde_json::from_value(event).unwrap();
    let written = serde_json::to_value(&read).unwrap();
    assert_eq!(serde_json::from_value::<PrePromptContext>(written.clone()).unwrap(), read);
    assert_eq!(written["contributions"][0]["params"]["message"], "seen");
}
