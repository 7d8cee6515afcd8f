//! Retries: of a tool if a hook requests it, of a model call with another profile, and the events for hooks.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::data::{Message, Role};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_agent::model::{Line, ModelError, Scripted};
use hooks_agent::store::MessageStore as _;
use hooks_agent::tool::{FnTool, ToolError, ToolSpec};
use hooks_agent::window::Window;
use hooks_agent::{Limits, Outcome, TurnEvent};
use serde_json::json;
use tokio::time::Instant;

use super::bench::{Bench, turn_with_events};

/// Fails the given number of times, then answers.
fn flaky(spec: ToolSpec, failures: u32, ran: Arc<AtomicU32>) -> impl hooks_agent::tool::Tool {
    FnTool::new(spec, move |_, input| match ran.fetch_add(1, Ordering::Relaxed) {
        run if run < failures => Err(ToolError::new("offline")),
        _ => Ok(format!("found {}", input["id"])),
    })
}

/// What hooks at `after_tool_call_failure` see: how often the tool ran, and whether it would run again.
type Heard = Arc<Mutex<Vec<(u32, bool)>>>;

fn again(heard: &Heard, wait: Duration) -> Hook {
    let heard = Arc::clone(heard);
    Hook::at::<AfterToolCallFailure>("again").writer(move |_, event: &AfterToolCallFailure, result: &mut ToolResult| {
        heard.lock().unwrap().push((event.attempt, event.may_retry));
        result.add_context("it failed");
        Retry::After(wait)
    })
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_allows_it_runs_again_after_the_wait_that_a_hook_asks_for() {
    let mut bench = Bench::new([Line::call("1", "search", json!({ "id": 7 })), Line::text("done")]);
    let (heard, ran) = (Heard::default(), Arc::new(AtomicU32::new(0)));
    bench.app(again(&heard, Duration::from_secs(3)));
    let log = bench.log.clone();
    bench.app(Hook::at::<AfterToolCall>("over").reader(move |_, event: &AfterToolCall, ()| {
        log.note(format!("over: {:?} after {}", event.error, event.attempt));
    }));
    let start = Instant::now();
    let tool = flaky(ToolSpec::new("search").idempotent(), 2, Arc::clone(&ran));
    let (_, events) = turn_with_events(&bench.session(bench.harness().tool(tool)).await, "hi").await;
    assert_eq!((ran.load(Ordering::Relaxed), start.elapsed().as_secs()), (3, 6));
    assert_eq!(*heard.lock().unwrap(), [(1, true), (2, true)]);
    // Changes of the failures are dropped with them, and the call is completed once.
    assert_eq!(bench.stored().await[2], "tool: <- found 7");
    assert_eq!(bench.model.heard()[1].messages.len(), 3);
    assert_eq!(bench.log.take(), ["the model", "over: None after 3", "the model"]);
    let retried =
        events.iter().filter(|event| matches!(event, TurnEvent::ToolRetrying { error, .. } if error == "offline"));
    assert_eq!(retried.count(), 2);
}

#[tokio::test(start_paused = true)]
async fn retries_of_a_tool_are_limited_and_other_tools_are_not_retried() {
    for (spec, retries, runs, heard_of) in [
        (ToolSpec::new("search").idempotent(), 2, 3, vec![(1, true), (2, true), (3, false)]),
        (ToolSpec::new("search").idempotent(), 0, 1, vec![(1, false)]),
        (ToolSpec::new("search"), 2, 1, vec![(1, false)]),
    ] {
        let mut bench = Bench::new([Line::call("1", "search", json!({})), Line::text("done")]);
        let (heard, ran) = (Heard::default(), Arc::new(AtomicU32::new(0)));
        bench.app(again(&heard, Duration::from_secs(1)));
        let mut limits = Limits::default();
        limits.tool_retries = retries;
        let harness = bench.harness().tool(flaky(spec, 9, Arc::clone(&ran))).limits(limits);
        bench.session(harness).await.turn(None, "hi").await;
        assert_eq!((ran.load(Ordering::Relaxed), &*heard.lock().unwrap()), (runs, &heard_of));
        assert_eq!(bench.stored().await[2], "tool: <- offline");
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_did_not_run_is_not_retried_and_a_later_hook_can_forbid_a_retry() {
    // An unknown tool, one that a gate denies, one whose failure is a gate's answer, and a hook that says never.
    for (tool, gate, never) in [
        ("nobody_has", Permission::NoOpinion, false),
        ("search", Permission::deny("no"), false),
        ("search", Permission::answer(ToolResult::error("closed")), false),
        ("search", Permission::NoOpinion, true),
    ] {
        let mut bench = Bench::new([Line::call("1", tool, json!({})), Line::text("done")]);
        let ran = Arc::new(AtomicU32::new(0));
        bench.app(again(&Heard::default(), Duration::ZERO));
        bench.app(Hook::at::<BeforeToolCall>("gate").reader(move |_, _, _| gate.clone()));
        if never {
            bench.app(Hook::at::<AfterToolCallFailure>("never").reader(|_, _, _| Retry::Never).priority(9));
        }
        let harness = bench.harness().tool(flaky(ToolSpec::new("search").idempotent(), 9, Arc::clone(&ran)));
        bench.session(harness).await.turn(None, "hi").await;
        assert_eq!(ran.load(Ordering::Relaxed), u32::from(never), "{tool}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_is_cancelled_before_a_retry_keeps_the_failure_as_hooks_left_it() {
    let mut bench = Bench::new([Line::call("1", "search", json!({}))]);
    bench.app(again(&Heard::default(), Duration::from_secs(30)));
    let tool = flaky(ToolSpec::new("search").idempotent(), 9, Arc::default());
    let mut turn = bench.session(bench.harness().tool(tool)).await.turn(None, "hi");
    while let Some(event) = turn.next().await {
        if matches!(event, TurnEvent::ToolRetrying { .. }) {
            turn.cancel();
        }
    }
    assert!(matches!(turn.await.outcome, Outcome::Cancelled));
    assert_eq!(bench.stored().await[2], "tool: <- offline");
}

/// What hooks at `post_model_call` see of each call: the failure, and whether it is retried.
fn watch(bench: &mut Bench) -> Arc<Mutex<Vec<String>>> {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = Arc::clone(&seen);
    let hook = Hook::at::<PostModelCall>("watch").reader(move |_, event: &PostModelCall, _| {
        let failure = event.failure.as_ref().map_or("answered", AsRef::as_ref);
        let again = if event.will_retry { ", again" } else { "" };
        heard.lock().unwrap().push(format!("{}: {failure}{again}", event.call_site));
    });
    bench.app(hook.priority(-9));
    seen
}

#[tokio::test(start_paused = true)]
async fn each_failed_model_call_is_reported_with_its_failure() {
    let busy = || Line::error(ModelError::rate_limited("429", None));
    for (lines, expected) in [
        (
            vec![busy(), busy(), Line::text("hi")],
            vec!["main: rate_limited, again", "main: rate_limited, again", "main: answered"],
        ),
        (
            vec![busy(), busy(), busy()],
            vec!["main: rate_limited, again", "main: rate_limited, again", "main: rate_limited"],
        ),
        (vec![Line::error(ModelError::Rejected("no".into()))], vec!["main: rejected"]),
        (vec![Line::error(ModelError::Unanswered("no key".into()))], vec!["main: unanswered"]),
        (
            vec![Line::error(ModelError::Unavailable("503".into())), Line::text("hi")],
            vec!["main: unavailable, again", "main: answered"],
        ),
        (vec![Line::error(ModelError::Overflow("long".into()))], vec!["main: overflow"]),
        (vec![Line::error(ModelError::Broken("cut".into())).streamed()], vec!["main: broken"]),
    ] {
        let mut bench = Bench::new(lines);
        let seen = watch(&mut bench);
        bench.turn().await;
        assert_eq!(*seen.lock().unwrap(), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_hook_can_stop_retries_of_the_loop_or_retry_at_once() {
    let busy = || Line::error(ModelError::rate_limited("429", Some(Duration::from_secs(20))));
    for (verdict, calls, secs) in [(ReplyVerdict::Stop, 1, 0), (ReplyVerdict::Continue, 2, 0), (().into(), 2, 20)] {
        let mut bench = Bench::new([busy(), Line::text("hello")]);
        bench.app(Hook::at::<PostModelCall>("says").reader(move |_, event: &PostModelCall, _| {
            if event.will_retry { verdict } else { ReplyVerdict::NoOpinion }
        }));
        let start = Instant::now();
        let reply = bench.turn().await;
        assert_eq!((bench.model.heard().len(), start.elapsed().as_secs()), (calls, secs), "{verdict:?}: {reply}");
    }
}

#[tokio::test]
async fn a_hook_can_filter_by_the_failure_of_a_model_call() {
    let mut bench = Bench::new([Line::error(ModelError::Overflow("long".into()))]);
    let log = bench.log.clone();
    let hook = Hook::at::<PostModelCall>("too_long").reader(move |_, _, _| log.note("too long"));
    bench.app(hook.only("failure", "overflow|rejected"));
    let other = bench.log.clone();
    bench.app(
        Hook::at::<PostModelCall>("offline")
            .reader(move |_, _, _| other.note("offline"))
            .only("failure", "unavailable"),
    );
    bench.turn().await;
    assert_eq!(bench.log.take(), ["the model", "too long"]);
}

/// Switches to the profile `spare` if a model does not answer.
fn spare() -> Hook {
    Hook::at::<PostModelCall>("spare").writer(|_, event: &PostModelCall, reply: &mut ModelReply| {
        if event.error.is_none() {
            return ReplyVerdict::NoOpinion;
        }
        reply.profile = Some("spare".to_owned());
        ReplyVerdict::Continue
    })
}

#[tokio::test]
async fn a_hook_can_switch_the_model_for_the_rest_of_the_turn() {
    let mut bench = Bench::new([Line::error(ModelError::Rejected("no".into())), Line::text("next turn")]);
    bench.app(spare());
    let other =
        Arc::new(Scripted::new([Line::call("1", "lookup", json!({ "id": "a" })), Line::text("from the spare")]));
    let session = bench.session(bench.harness().shared_model("spare", other.clone())).await;
    assert_eq!(session.turn(None, "hi").await.to_string(), "from the spare");
    let profiles: Vec<_> = other.heard().iter().map(|call| call.profile.clone()).collect();
    assert_eq!((profiles, bench.model.heard().len()), (vec!["spare".to_owned(); 2], 1));
    // The next turn starts with the app's profile.
    assert_eq!(session.turn(None, "and now?").await.to_string(), "next turn");
}

#[tokio::test]
async fn an_unknown_profile_fails_the_turn_and_an_empty_one_fails_the_hook() {
    for (profile, expected) in
        [("nowhere", "no model has the profile `nowhere`"), (" ", "the provider refused the call")]
    {
        let mut bench = Bench::new([Line::error(ModelError::Rejected("no".into()))]);
        bench.app(Hook::at::<PostModelCall>("routes").writer(move |_, _, reply: &mut ModelReply| {
            reply.profile = Some(profile.to_owned());
            ReplyVerdict::Continue
        }));
        let reply = bench.turn().await;
        let Outcome::Failed(error) = reply.outcome else { panic!("{reply:?}") };
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}

#[tokio::test]
async fn a_hook_can_retry_a_summary_with_another_model() {
    let mut bench = Bench::new([Line::error(ModelError::Rejected("no".into())), Line::text("done")]);
    let seen = watch(&mut bench);
    bench.app(spare());
    let rows = (0..12).map(|i| Message::new([Role::User, Role::Assistant][i % 2], "word ".repeat(50)));
    bench.store.append("c", rows.collect()).await.unwrap();
    let other = Arc::new(Scripted::new([Line::text("they spoke")]));
    let harness = bench.harness().shared_model("spare", other.clone()).window(Window::new(2_000).compact_at(400));
    assert_eq!(bench.session(harness).await.turn(None, "hi").await.to_string(), "done");
    assert_eq!(other.heard().len(), 1, "only the summary went there");
    assert_eq!(*seen.lock().unwrap(), ["compaction: rejected", "compaction: answered", "main: answered"]);
    assert!(bench.stored().await[0].contains("they spoke"));
}
