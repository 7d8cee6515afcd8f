//! The golden sequences of cancelled turns, one for each place at which a turn waits, written by hand.

use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use hook_sdk::data::Role;
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_agent::approve::{ApprovalRequest, Approver};
use hooks_agent::model::{Deltas, Line, Model, ModelAnswer, ModelCall, ModelError};
use hooks_agent::store::{MessageStore, StoreFuture};
use hooks_agent::tool::{Tool, ToolError, ToolSpec};
use hooks_agent::window::Window;
use hooks_agent::{HarnessBuilder, Outcome, Preflight, SubAgent, TurnEvent};
use serde_json::json;
use tokio::sync::Notify;

use super::bench::Bench;
use super::order::{BEGIN, CALL, NOT_RUN, STORED};

/// An implementation of several traits that signals its start and never completes.
#[derive(Clone, Default)]
struct Never(Arc<Notify>);

impl Never {
    fn wait<T: Send + 'static>(&self) -> BoxFuture<'static, T> {
        let begun = Arc::clone(&self.0);
        Box::pin(async move {
            begun.notify_one();
            std::future::pending().await
        })
    }
}

impl Model for Never {
    fn call<'a>(&'a self, _: &'a ModelCall, _: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        self.wait()
    }
}

impl Tool for Never {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new("never")
    }

    fn run<'a>(
        &'a self,
        _: &'a HookContext,
        _: &'a ToolCall,
        _: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        self.wait()
    }
}

impl Approver for Never {
    fn approve<'a>(&'a self, _: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        self.wait()
    }
}

impl Preflight for Never {
    type Plan = ();

    fn look<'a>(&'a self, _: &'a HookContext, _: &'a str, _: &'a Messages) -> BoxFuture<'a, ()> {
        self.wait()
    }
}

/// A hook that never completes.
macro_rules! never_at {
    ($never:expr, $kind:ident) => {{
        let never = $never.clone();
        Hook::at::<$kind>("never").async_reader(move |_, _, _| never.wait::<()>())
    }};
}

/// Adds a part that never completes to the bench.
type Set = fn(&mut Bench, &Never) -> HarnessBuilder;

/// The lines of the model: a call, then an answer.
fn lines() -> Vec<Line> {
    vec![Line::call("1", "lookup", json!({ "id": "a" })), Line::text("done")]
}

const OVER: &[&str] = &["post_turn", "turn_end"];
/// Up to the model.
const ASKED: &[&str] = &["prefilter_llm_history", "pre_model_call"];

/// A call that needs approval.
const ASKED_ABOUT: &[&str] = &["before_tool_call", "permission_request"];

/// A place, the setup of the turn, the events that follow, and the exit reason.
type Case = (&'static str, Vec<Line>, Set, Vec<&'static [&'static str]>, &'static str);

fn hooks() -> Vec<Case> {
    macro_rules! waits_at {
        ($kind:ident, $fired:expr, $exit:expr) => {{
            let set: Set = |bench, never| {
                bench.app(never_at!(never, $kind));
                bench.harness()
            };
            (<$kind as HookKind>::NAME, lines(), set, $fired, $exit)
        }};
    }
    let called = [BEGIN, CALL, STORED];
    vec![
        waits_at!(FilterMessages, vec![&["filter_messages", "turn_end"]], "aborted_via_error"),
        waits_at!(UserPromptSubmit, vec![&BEGIN[..2], &["turn_end"]], "aborted_via_error"),
        waits_at!(BeforeAgentStart, vec![&BEGIN[..5], OVER], "aborted_via_error"),
        waits_at!(PrePromptCompile, vec![BEGIN, OVER], "aborted_via_error"),
        waits_at!(PrefilterLlmHistory, vec![BEGIN, &ASKED[..1], OVER], "aborted_via_error"),
        waits_at!(PreModelCall, vec![BEGIN, ASKED, OVER], "aborted_via_error"),
        waits_at!(PostModelCall, vec![BEGIN, CALL, OVER], "aborted_via_error"),
        waits_at!(BeforeToolCall, [&called[..], &[NOT_RUN, OVER]].concat(), "aborted_via_error"),
    ]
}

fn parts() -> Vec<Case> {
    let called = [BEGIN, CALL, STORED];
    let model: Set = |bench, never| bench.harness().model("main", never.clone());
    vec![
        (
            "the preflight",
            lines(),
            |bench, never| bench.harness().preflight(never.clone()),
            vec![&BEGIN[..7], OVER],
            "aborted_pre_call",
        ),
        ("the model", Vec::new(), model, vec![BEGIN, ASKED, OVER], "aborted_pre_call"),
        (
            "the approver",
            lines(),
            |bench, never| {
                bench.app(Hook::at::<BeforeToolCall>("may_i").reader(|_, _, _| Permission::ask("really?")));
                bench.harness().approver(never.clone())
            },
            [&called[..], &[ASKED_ABOUT, &NOT_RUN[1..], OVER]].concat(),
            "aborted_during_tools",
        ),
        (
            "a hook in the person's place",
            lines(),
            |bench, never| {
                bench.app(Hook::at::<BeforeToolCall>("may_i").reader(|_, _, _| Permission::ask("really?")));
                bench.app(never_at!(never, PermissionRequest));
                bench.harness()
            },
            [&called[..], &[ASKED_ABOUT, &NOT_RUN[1..], OVER]].concat(),
            "aborted_via_error",
        ),
        (
            "the tool",
            vec![Line::calls([("1", "never", json!({})), ("2", "lookup", json!({}))])],
            |bench, never| bench.harness().tool(never.clone()),
            // The second call has only its row: no gate was asked.
            [&called[..], &[NOT_RUN, STORED, OVER]].concat(),
            "aborted_during_tools",
        ),
        (
            "an agent that is asked",
            vec![Line::call("1", "research", json!({ "prompt": "what is it?" }))],
            |bench, never| {
                bench.registry.register(never_at!(never, PreModelCall)).unwrap();
                bench.harness().agent(SubAgent::new(AgentDef::new("research").hooks(["never"]), "Looks things up."))
            },
            [&called[..], &[&["before_tool_call"], BEGIN, ASKED, OVER, &NOT_RUN[1..], OVER]].concat(),
            "aborted_during_tools",
        ),
        (
            "the summary of a full window",
            Vec::new(),
            |bench, never| bench.harness().model("main", never.clone()).window(Window::new(1_000).compact_at(60)),
            vec![BEGIN, &["before_compaction"], ASKED, OVER],
            "aborted_pre_call",
        ),
    ]
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_at_any_place_ends_the_turn_with_all_its_kinds_in_order() {
    for (place, lines, set, expected, exit) in hooks().into_iter().chain(parts()) {
        let (mut bench, never) = (Bench::watched(lines), Never::default());
        if place.contains("window") {
            let old = |i: usize| Message::new([Role::User, Role::Assistant][i % 2], format!("message {i}"));
            bench.store.append("c", (0..8).map(old).collect()).await.unwrap();
        }
        let harness = set(&mut bench, &never);
        let session = bench.session(harness).await;
        bench.log.take();
        let turn = session.turn(None, "hi");
        let cancellation = turn.cancellation();
        let cancel = async {
            never.0.notified().await;
            cancellation.cancel();
        };
        let (reply, ()) = tokio::join!(turn.into_future(), cancel);
        assert!(matches!(reply.outcome, Outcome::Cancelled), "{place}: {reply:?}");
        assert_eq!(
            (bench.log.take(), reply.exit.as_ref()),
            (expected.concat().iter().map(ToString::to_string).collect(), exit),
            "{place}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancellation_during_a_retry_wait_ends_the_turn() {
    let waits = ModelError::rate_limited("slow down", Some(Duration::from_secs(30)));
    let bench = Bench::watched([Line::error(waits), Line::text("too late")]);
    let session = bench.session(bench.harness()).await;
    bench.log.take();
    let mut turn = session.turn(None, "hi");
    while let Some(event) = turn.next().await {
        if matches!(event, TurnEvent::Retrying { .. }) {
            turn.cancel();
        }
    }
    assert_eq!(turn.await.exit.as_ref(), "aborted_pre_call");
    assert_eq!(bench.log.take(), [BEGIN, ASKED, &["the model", "post_model_call"], OVER].concat());
}

#[tokio::test(start_paused = true)]
async fn a_row_is_stored_and_its_hooks_run_even_if_the_turn_is_cancelled() {
    // A hook on each side of the store that takes a second, during which the turn is cancelled.
    macro_rules! slow_at {
        ($kind:ident) => {
            Hook::at::<$kind>("slow").async_reader(|_, _, _| Box::pin(tokio::time::sleep(Duration::from_secs(1))))
        };
    }
    for hook in [slow_at!(BeforeCreateMessage), slow_at!(AfterCreateMessage)] {
        let mut bench = Bench::watched([]);
        bench.app(hook);
        let session = bench.session(bench.harness()).await;
        bench.log.take();
        let turn = session.turn(None, "hi");
        let cancellation = turn.cancellation();
        let cancel = async {
            tokio::time::sleep(Duration::from_millis(500)).await;
            cancellation.cancel();
        };
        let (reply, ()) = tokio::join!(turn.into_future(), cancel);
        assert!(matches!(reply.outcome, Outcome::Cancelled), "{reply:?}");
        assert_eq!(bench.stored().await, ["user: hi"]);
        assert_eq!(bench.log.take(), [&BEGIN[..5], OVER].concat());
    }
}

#[tokio::test]
async fn a_turn_that_is_cancelled_before_it_begins_fires_its_start_and_its_end() {
    let bench = Bench::watched([]);
    let session = bench.session(bench.harness()).await;
    bench.log.take();
    let turn = session.turn(None, "hi");
    turn.cancel();
    let reply = turn.await;
    assert!(matches!(reply.outcome, Outcome::Cancelled), "{reply:?}");
    assert_eq!(bench.log.take(), ["filter_messages", "turn_end"]);
    assert!(bench.stored().await.is_empty());
}
