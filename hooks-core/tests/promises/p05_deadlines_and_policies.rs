//! Promise 5: a missed deadline is a failure, and the dispatch continues as `on_failure` says.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hook_sdk::hook::{BoxFuture, OnFailure, Timeout};
use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::prelude::{Permission, ToolCall, ToolInput};
use hook_sdk::record::FailureKind;
use hook_sdk::{CancellationToken, DispatchError};

use super::support::*;

#[tokio::test(start_paused = true)]
async fn an_overrun_deadline_is_a_failure_and_a_late_answer_is_dropped() {
    let answered = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&answered);
    let slow = Hook::at::<Step>("slow").async_replacer(move |_, _, mut trail: Trail| {
        let flag = Arc::clone(&flag);
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            flag.store(true, Ordering::SeqCst);
            trail.0.push("late");
            trail
        })
    });
    let set = set([slow.timeout(Timeout::After(Duration::from_millis(10))), writes("behind")]);
    let start = tokio::time::Instant::now();
    let fired = set.fire(&cx(), &step(), Trail::default()).await.unwrap();
    assert_eq!(start.elapsed().as_millis(), 10);
    assert_eq!(fired.subject.unwrap().0, ["behind"]);
    let failure = &fired.report.failures[0];
    assert_eq!((failure.failure, failure.cause.as_str()), (FailureKind::TimedOut, "not finished within 10ms"));
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!answered.load(Ordering::SeqCst), "its future was dropped");
}

#[tokio::test(start_paused = true)]
async fn the_default_deadline_of_an_async_hook_is_thirty_seconds() {
    let start = tokio::time::Instant::now();
    let fired = set([waits("slow", 60_000)]).fire(&cx(), &step(), Trail::default()).await.unwrap();
    assert_eq!((start.elapsed().as_secs(), fired.report.failures.len()), (30, 1));
    let forever = waits("slow", 60_000).timeout(Timeout::None);
    let fired = set([forever]).fire(&cx(), &step(), Trail::default()).await.unwrap();
    assert_eq!((start.elapsed().as_secs(), fired.report.failures.len()), (90, 0));
}

/// A hook that is always ready uses the whole coop budget of its task in each poll. Its deadline must stop it
/// nevertheless.
#[tokio::test]
async fn a_busy_hook_is_stopped_at_its_deadline_too() {
    let set = set([busy().timeout(Timeout::After(Duration::from_millis(20))), writes("behind")]);
    let fired = set.fire(&cx(), &step(), Trail::default()).await.unwrap();
    assert_eq!(fired.report.failures.len(), 1);
    assert_eq!(fired.report.failures[0].failure, FailureKind::TimedOut);
}

fn busy() -> Hook {
    Hook::at::<Step>("busy").async_reader(|_, _, _| {
        Box::pin(async {
            let start = std::time::Instant::now();
            while start.elapsed() < Duration::from_secs(5) {
                tokio::task::consume_budget().await;
            }
        })
    })
}

/// A hook that blocks its thread keeps its own timer from firing. Late is late all the same.
#[tokio::test]
async fn an_answer_after_the_deadline_counts_for_nothing_even_if_the_thread_was_blocked() {
    fn late<T: Send + 'static>(answer: T) -> BoxFuture<'static, T> {
        std::thread::sleep(Duration::from_millis(40));
        Box::pin(async { answer })
    }
    let limit = Timeout::After(Duration::from_millis(10));
    let gate = Hook::at::<BeforeToolCall>("gate").async_reader(|_, _, _| late(Permission::Allow)).timeout(limit);
    let call = ToolCall::new("call_1", "refund", serde_json::json!({}));
    let fired = set([gate]).fire(&cx(), &BeforeToolCall::new(call), ToolInput::default()).await.unwrap();
    assert!(fired.verdict.denial().is_some(), "{:?}", fired.verdict);
    assert_eq!(fired.report.failures[0].failure, FailureKind::TimedOut);

    let writer = Hook::at::<Step>("writer").async_replacer(|_, _, _| late(Trail(vec!["late"]))).timeout(limit);
    let fired = set([writer, writes("behind")]).fire(&cx(), &step(), Trail::default()).await.unwrap();
    assert_eq!(fired.subject.unwrap().0, ["behind"]);
    assert_eq!(fired.report.failures[0].failure, FailureKind::TimedOut);
}

/// It does not starve the other hooks of its stage either.
#[tokio::test]
async fn a_busy_hook_starves_no_other_of_its_stage() {
    let quick = waits("quick", 1).timeout(Timeout::After(Duration::from_millis(250)));
    let set = set([busy().timeout(Timeout::After(Duration::from_millis(500))), quick]);
    let fired = set.fire(&cx(), &step(), Trail::default()).await.unwrap();
    let failed: Vec<_> = fired.report.failures.iter().map(|failure| failure.hook.as_str()).collect();
    assert_eq!(failed, ["busy"]);
}

#[tokio::test]
async fn a_busy_hook_is_dropped_when_the_turn_is_cancelled() {
    let token = CancellationToken::new();
    let cx = HookContext::builder().cancellation(token.clone()).build();
    tokio::spawn(async move { token.cancel() });
    let error = set([busy()]).fire(&cx, &step(), Trail::default()).await.unwrap_err();
    assert!(matches!(error, DispatchError::Cancelled { .. }));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_turn_names_the_first_hook_that_is_still_waiting() {
    let token = CancellationToken::new();
    let cx = HookContext::builder().cancellation(token.clone()).build();
    let fails = Hook::at::<Step>("fails").async_reader(|_, _, _| later(1, Err::<(), _>(fmt::Error)));
    let registry = registry([fails, waits("done", 10), waits("slow", 1_000), waits("done_too", 10), writes("behind")]);
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let into = Arc::clone(&seen);
    registry.observe(move |record: &hook_sdk::record::Record| *into.lock().unwrap() = statuses(record));
    let agent = AgentDef::new("a").hooks(["fails", "done", "slow", "done_too", "behind"]);
    let set = registry.scope(&agent, None).unwrap();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        token.cancel();
    });
    let error = set.fire(&cx, &step(), Trail::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "the turn was cancelled while `slow` at `step` was waiting");
    let shown = seen.lock().unwrap().iter().map(|(id, status)| format!("{id}: {status}")).collect::<Vec<_>>();
    assert_eq!(
        shown,
        [
            "fails: failed",
            "done: completed",
            "slow: cancelled",
            "done_too: cancelled",
            "behind: skipped: the dispatch ended with an error"
        ]
    );
}

#[test]
fn the_dispatch_continues_as_on_failure_says() {
    let fails = || Hook::at::<Step>("fails").reader(|_, _, _| Err::<(), _>(fmt::Error));
    let fire = |hook: Hook| set([hook, writes("behind")]).fire_blocking(&cx(), &step(), Trail::default());

    for continues in [fails(), fails().on_failure(OnFailure::Continue)] {
        let fired = fire(continues).unwrap();
        assert_eq!(fired.subject.unwrap().0, ["behind"]);
        assert_eq!(fired.report.failures[0].on_failure, OnFailure::Continue);
    }
    let fired = fire(fails().on_failure(OnFailure::Remove)).unwrap();
    assert_eq!((fired.subject, fired.report.removed_by.clone().unwrap().as_str()), (None, "fails"));

    let error = fire(fails().on_failure(OnFailure::Required)).unwrap_err();
    assert!(matches!(&error, DispatchError::Required { failure, .. } if failure.hook.as_str() == "fails"));
    assert!(error.to_string().starts_with("hook `fails` at `step` failed (error): an error occurred"), "{error}");
    assert!(error.into_subject::<Step>().unwrap().0.is_empty());
}

#[test]
fn an_on_failure_that_the_kind_does_not_offer_is_refused() {
    let at_step = || Hook::at::<Step>("h").reader(|_, _, _| ());
    let at_gate = || says("h", Permission::Allow);
    let table = [
        (
            at_step().on_failure(OnFailure::Deny),
            "`on_failure` of the hook `h` is `deny`, which `step` does not offer; it offers `continue`, `remove`, `required`",
        ),
        (
            at_gate().on_failure(OnFailure::Remove),
            "`on_failure` of the hook `h` is `remove`, which `spend` does not offer; it offers `continue`, `deny`, `required`",
        ),
    ];
    for (hook, text) in table {
        let error = Registry::empty().register(hook).unwrap_err().to_string();
        assert!(error.ends_with(text), "{error}");
    }
}
