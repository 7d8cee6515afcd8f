//! Misbehaving parts of the app around a turn: it ends anyway, exactly once, and no message is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hook_sdk::data::{Block, Message, Role};
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::*;
use hook_sdk::kinds::{CompactionKind, SessionEndReason};
use hook_sdk::prelude::*;
use hooks_agent::model::{Deltas, Line, Model, ModelAnswer, ModelCall, ModelError};
use hooks_agent::store::{Append, MessageStore, StoreError};
use hooks_agent::window::{Compaction, Compactor, DropThenSummarise, ToCompact, Window};
use hooks_agent::{Outcome, SubAgent, TurnError, TurnEvent};
use serde_json::json;

use super::bench::{Bench, line};
use super::stores::{Disturb, Disturbed};

/// What a store does at one of its calls.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Fails,
    Panics,
    Hangs,
}

struct Sick {
    calls: AtomicUsize,
    at: usize,
    fault: Fault,
}

impl Disturb for Sick {
    fn before(&self, _: &'static str) -> BoxFuture<'_, Result<(), StoreError>> {
        let fault = (self.calls.fetch_add(1, Ordering::Relaxed) == self.at).then_some(self.fault);
        Box::pin(async move {
            match fault {
                None => Ok(()),
                Some(Fault::Fails) => Err(StoreError::new("the disk is full")),
                Some(Fault::Panics) => std::panic::resume_unwind(Box::new("the driver is broken")),
                Some(Fault::Hangs) => std::future::pending().await,
            }
        })
    }
}

/// The store of `bench`, which misbehaves at one of its calls.
fn sick(bench: &Bench, at: usize, fault: Fault) -> Disturbed<Sick> {
    Disturbed { store: Arc::clone(&bench.store), by: Sick { calls: AtomicUsize::new(0), at, fault } }
}

fn count(log: &[String], what: &str) -> usize {
    log.iter().filter(|noted| *noted == what).count()
}

#[tokio::test(start_paused = true)]
async fn a_turn_ends_once_if_any_call_of_the_store_fails_panics_or_hangs() {
    for fault in [Fault::Fails, Fault::Panics, Fault::Hangs] {
        // The first call is that of `open`. There are six in total, one of them the fold.
        for at in 1..7 {
            let lines = [
                Line::call("1", "lookup", json!({})),
                Line::error(ModelError::Overflow("too long".into())),
                Line::text("so be it"),
            ];
            let bench = Bench::watched(lines);
            bench.store.append("c", Append::new([Message::new(Role::User, "before")])).await.unwrap();
            let store = sick(&bench, at, fault);
            let session = bench.session(bench.harness().store(store)).await;
            let turn = tokio::time::timeout(Duration::from_secs(36_000), session.turn(None, "hi"));
            let reply = turn.await.unwrap_or_else(|_| panic!("{fault:?} at {at}: the turn never ends"));
            assert_eq!(count(&bench.log.take(), "turn_end"), 1, "{fault:?} at {at}: {reply}");
            let next = tokio::time::timeout(Duration::from_secs(36_000), session.turn(None, "again"));
            assert!(next.await.is_ok(), "{fault:?} at {at}: the next turn never ends");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_ends_even_if_its_store_is_broken() {
    for fault in [Fault::Fails, Fault::Panics, Fault::Hangs] {
        let bench = Bench::watched([]);
        // The first call is that of `open`.
        let store = sick(&bench, 1, fault);
        let session = bench.session(bench.harness().store(store)).await;
        let closed = tokio::time::timeout(Duration::from_secs(36_000), session.close(SessionEndReason::Shutdown));
        let closed = closed.await.unwrap_or_else(|_| panic!("{fault:?}: it never ends"));
        assert!(matches!(closed, Err(TurnError::Store(_))), "{fault:?}: {closed:?}");
        assert_eq!(count(&bench.log.take(), "session_end"), 1, "{fault:?}");
    }
}

/// Adds a broken part to a harness.
type Break = fn(hooks_agent::HarnessBuilder) -> hooks_agent::HarnessBuilder;

struct Breaks;

impl Compactor for Breaks {
    fn compact(&self, _: &CompactionKind, _: ToCompact<'_>) -> Option<Compaction> {
        std::panic::resume_unwind(Box::new("of course"))
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_ends_once_if_the_compactor_or_the_counter_of_the_app_panics() {
    let broken: [(&str, Break); 2] = [
        ("compactor", |harness| harness.window(Window::new(1).compactor(Breaks))),
        ("counter", |harness| harness.window(Window::new(1).count_with(|_| std::panic::resume_unwind(Box::new("no"))))),
    ];
    for (what, breaks) in broken {
        let bench = Bench::watched([Line::text("so be it")]);
        let session = bench.session(breaks(bench.harness())).await;
        let reply = session.turn(None, "hi").await;
        assert_eq!(count(&bench.log.take(), "turn_end"), 1, "{what}: {reply}");
        assert!(matches!(reply.outcome, Outcome::Failed(_)), "{what}: {reply}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn turns_run_in_the_order_of_their_calls_and_the_session_ends_after_them() {
    for _ in 0..50 {
        let bench = Bench::watched((0..8).map(|i| Line::text(i.to_string())));
        let session = bench.session(bench.harness()).await;
        let turns: Vec<_> = (0..8).map(|i| session.turn(None, format!("q{i}"))).collect();
        session.close(SessionEndReason::from("quit")).await.unwrap();
        for turn in turns {
            let _ = turn.await;
        }
        let log = bench.log.take();
        assert_eq!(log.last().map(String::as_str), Some("session_end"), "{log:?}");
        let asked: Vec<_> = bench.stored().await.into_iter().filter(|line| line.starts_with("user")).collect();
        assert_eq!(asked, (0..8).map(|i| format!("user: q{i}")).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_message_that_a_hook_adds_after_the_prompt_is_not_stored_as_the_prompt() {
    let mut bench = Bench::new([Line::text("so be it")]);
    bench.app(Hook::at::<UserPromptSubmit>("adds").writer(|_, _, messages: &mut Messages| {
        messages.push(Message::new(Role::User, "it is Monday"));
    }));
    bench.turn().await;
    assert_eq!(bench.stored().await, ["user: hi", "assistant: so be it"]);
    let sent: Vec<_> = bench.model.heard()[0].messages.iter().map(line).collect();
    assert_eq!(sent, ["user: hi", "user: it is Monday"]);
}

#[tokio::test]
async fn a_rewritten_prompt_is_stored_whatever_hooks_add_around_it() {
    type Rewrite = fn(&mut Messages, Message, Message);
    let user = |text: &str| Message::new(Role::User, text);
    let table: [(&str, Rewrite); 4] = [
        ("alone", |all, masked, _| all.push(masked)),
        ("before another", |all, masked, other| all.extend([masked, other])),
        ("after another", |all, masked, other| all.extend([other, masked])),
        ("at the beginning", |all, masked, other| {
            all.insert(0, other);
            all.push(masked);
        }),
    ];
    for (what, rewrite) in table {
        let mut bench = Bench::new([Line::text("one"), Line::text("two")]);
        bench.app(Hook::at::<UserPromptSubmit>("mask").writer(move |_, _, messages: &mut Messages| {
            messages.pop();
            rewrite(messages, user("my card is [masked]"), user("it is Monday"));
        }));
        let session = bench.session(bench.harness()).await;
        session.turn(None, "my card is 4242").await;
        session.turn(None, "my card is 4711").await;
        let stored = ["user: my card is [masked]", "assistant: one", "user: my card is [masked]", "assistant: two"];
        assert_eq!(bench.stored().await, stored, "{what}");
    }
    // A text that has nothing in common with the prompt.
    let mut bench = Bench::new([Line::text("one")]);
    bench.app(Hook::at::<UserPromptSubmit>("mask").writer(move |_, _, messages: &mut Messages| {
        messages.pop();
        messages.extend([user("[masked]"), user("it is Monday")]);
    }));
    bench.turn().await;
    assert_eq!(bench.stored().await, ["user: [masked]", "assistant: one"]);
}

#[tokio::test]
async fn a_prompt_that_a_hook_removes_is_blocked() {
    let mut bench = Bench::new([Line::text("so be it")]);
    bench.store.append("c", Append::new([Message::new(Role::User, "without an answer")])).await.unwrap();
    bench.app(Hook::at::<UserPromptSubmit>("removes").writer(|_, _, messages: &mut Messages| {
        messages.pop();
    }));
    assert_eq!(bench.turn().await.to_string(), "[Blocked by hook] a hook removed the prompt");
    assert_eq!(bench.stored().await, ["user: without an answer"]);
}

#[tokio::test]
async fn no_result_is_without_a_call_if_a_hook_removes_the_call_from_the_row() {
    let mut bench = Bench::new([Line::call("1", "lookup", json!({})), Line::text("so be it")]);
    bench.app(Hook::at::<BeforeCreateMessage>("takes").writer(|_, _, row: &mut Message| {
        row.content.retain(|block| !matches!(block, Block::ToolUse(_)));
        if row.content.is_empty() {
            row.content.push(Block::from("nothing"));
        }
    }));
    let reply = bench.turn().await;
    let stored = bench.stored().await;
    let of = |mark: &str| stored.iter().filter(|line| line.contains(mark)).count();
    assert_eq!(of("->"), of("<-"), "{reply}: {stored:#?}");
}

/// Keeps only the running turn.
pub(crate) struct Minimal;

impl Compactor for Minimal {
    fn compact(&self, _: &CompactionKind, conversation: ToCompact<'_>) -> Option<Compaction> {
        DropThenSummarise::default().compact(&CompactionKind::MinimalHistory, conversation)
    }
}

#[tokio::test]
async fn a_compaction_stores_no_contexts_and_keeps_the_prompt() {
    let lines = [
        Line::text("one"),
        Line::call("1", "lookup", json!({})),
        Line::error(ModelError::Overflow("too long".into())),
        Line::text("so be it"),
    ];
    let mut bench = Bench::new(lines);
    bench.app(Hook::at::<AfterToolCallSuccess>("beside").writer(|_, _, result: &mut ToolResult| {
        result.additional_context.push("only for now".to_owned());
    }));
    let session = bench.session(bench.harness().window(Window::new(1_000_000).compactor(Minimal))).await;
    session.turn(None, "first").await;
    session.turn(None, "second").await;
    let stored = bench.stored().await;
    assert!(stored.iter().any(|line| line == "user: second"), "{stored:#?}");
    assert!(!stored.iter().any(|line| line.contains("only for now")), "{stored:#?}");
}

#[tokio::test]
async fn a_sub_agent_called_after_a_compaction_starts_a_new_conversation() {
    let lines = [
        Line::call("call_1", "research", json!({ "prompt": "the secret of Ada" })),
        Line::text("found"),
        Line::text("done"),
        Line::error(ModelError::Overflow("too long".into())),
        Line::text("s"),
        Line::call("call_1", "research", json!({ "prompt": "the weather" })),
        Line::text("rain"),
        Line::text("done"),
    ];
    let bench = Bench::new(lines);
    let research = SubAgent::new(AgentDef::new("research"), "Looks things up.");
    let session = bench.session(bench.harness().agent(research)).await;
    session.turn(None, "first").await;
    session.turn(None, "second").await;
    let heard = bench.model.heard();
    let weather = heard.iter().find(|call| call.messages.last().is_some_and(|m| m.text() == "the weather")).unwrap();
    let sent: Vec<_> = weather.messages.iter().map(line).collect();
    assert_eq!(sent, ["user: the weather"]);
}

struct Floods(bool);

impl hooks_agent::tool::Tool for Floods {
    fn spec(&self) -> hooks_agent::tool::ToolSpec {
        hooks_agent::tool::ToolSpec::new("floods")
    }

    fn run<'a>(
        &'a self,
        _: &'a HookContext,
        _: &'a ToolCall,
        _: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, hooks_agent::tool::ToolError>> {
        Box::pin(async {
            if self.0 {
                return Err(hooks_agent::tool::ToolError::new("x".repeat(10_000_000)));
            }
            let mut result = ToolResult::new("");
            result.content = (0..1_000).map(|_| Block::from("x".repeat(10_000))).collect();
            Ok(result)
        })
    }
}

#[tokio::test]
async fn a_huge_tool_result_is_truncated_in_one_or_many_blocks() {
    for fails in [false, true] {
        let bench = Bench::new([Line::call("1", "floods", json!({})), Line::text("so be it")]);
        let session = bench.session(bench.harness().tool(Floods(fails))).await;
        assert_eq!(session.turn(None, "hi").await.to_string(), "so be it");
        let kept: usize = bench.stored().await.iter().map(String::len).sum();
        assert!(kept < 110_000, "fails: {fails}: {kept}");
    }
}

#[tokio::test]
async fn an_answer_that_breaks_after_it_was_shown_is_stored_as_incomplete_and_not_retried() {
    let lines = [Line::error(ModelError::Broken("cut off".into())).streamed(), Line::text("again")];
    let bench = Bench::watched(lines);
    let reply = bench.turn().await;
    assert!(matches!(reply.outcome, Outcome::Failed(_)), "{reply}");
    assert_eq!(bench.stored().await, ["user: hi", "assistant: Well,  [the answer broke off]"]);
    assert_eq!(count(&bench.log.take(), "turn_end"), 1);
}

/// Panics in the call or in its future, or never answers, and answers normally afterwards.
struct Wild(AtomicUsize);

impl Model for Wild {
    fn call<'a>(&'a self, _: &'a ModelCall, _: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        match self.0.fetch_add(1, Ordering::Relaxed) {
            0 => std::panic::resume_unwind(Box::new("of course")),
            1 => Box::pin(async { std::panic::resume_unwind(Box::new("of course")) }),
            2 => Box::pin(std::future::pending()),
            _ => Box::pin(async { Ok(ModelAnswer::text("at last")) }),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_panics_or_hangs_is_reported_to_hooks_that_may_retry_it() {
    let mut bench = Bench::new([]);
    let log = bench.log.clone();
    bench.app(Hook::at::<PostModelCall>("again").reader(move |_, event: &PostModelCall, _| match &event.error {
        Some(error) => {
            log.note(error.as_str());
            ReplyVerdict::Continue
        }
        None => ReplyVerdict::NoOpinion,
    }));
    let session = bench.session(bench.harness().model("main", Wild(AtomicUsize::new(0)))).await;
    assert_eq!(session.turn(None, "hi").await.to_string(), "at last");
    let panicked = "the model gave no answer: its client panicked".to_owned();
    let late = "the model gave no answer: it timed out after 600s, the limit of the harness".to_owned();
    assert_eq!(bench.log.take(), [panicked.clone(), panicked, late]);
}

/// A guard at `stop` that could not judge a deferred answer has not approved it.
#[tokio::test(start_paused = true)]
async fn a_deferred_answer_is_withheld_if_not_all_hooks_could_judge_it() {
    type Guard = fn() -> Hook;
    let guards: [(&str, Guard); 5] = [
        ("stop fails", || {
            let guard = Hook::at::<Stop>("guard").reader(|_, _, ()| Err::<StopVerdict, _>("down"));
            guard.on_failure(OnFailure::Required)
        }),
        ("stop halts", || Hook::at::<Stop>("guard").reader(|_, _, ()| Halt::new("no"))),
        ("post_model_call halts", || Hook::at::<PostModelCall>("guard").reader(|_, _, _| Halt::new("no"))),
        ("before_create_message halts", || {
            Hook::at::<BeforeCreateMessage>("guard").reader(|_, _, row: &Message| match row.role {
                Role::Assistant => Err(Halt::new("no")),
                _ => Ok(()),
            })
        }),
        ("cancelled", || {
            Hook::at::<Stop>("guard").async_reader(|_, _, ()| {
                Box::pin(async {
                    tokio::time::sleep(Duration::from_secs(9)).await;
                    StopVerdict::block("secret")
                })
            })
        }),
    ];
    for (what, guard) in guards {
        let mut bench = Bench::new([Line::text("the secret").streamed()]);
        bench.app(Hook::at::<PreModelCall>("defer").writer(|_, _, request: &mut ModelRequest| {
            request.defer_output = true;
        }));
        bench.app(guard());
        let mut turn = bench.session(bench.harness()).await.turn(None, "hi");
        let cancellation = turn.cancellation();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            cancellation.cancel();
        });
        let mut shown = String::new();
        while let Some(event) = turn.next().await {
            if let TurnEvent::Text(text) = event {
                shown += &text;
            }
        }
        let (reply, stored) = (turn.await, bench.stored().await);
        assert!(!shown.contains("secret") && !reply.to_string().contains("the secret"), "{what}: {shown}, {reply}");
        assert!(!stored.concat().contains("secret"), "{what}: {stored:?}");
    }
}

#[tokio::test]
async fn messages_for_a_turn_that_never_begins_are_in_its_reply() {
    let mut bench = Bench::new([Line::text("one")]);
    bench.app(Hook::at::<PreModelCall>("slow").async_reader(|_, _, _| Box::pin(tokio::task::yield_now())));
    let session = bench.session(bench.harness()).await;
    let (first, second) = (session.turn(None, "a"), session.turn(None, "b"));
    let invalid = session.turn(Some(&PromptDef::new("p").hooks(["nobody"])), "c");
    for turn in [&second, &invalid] {
        assert!(turn.steer(Message::new(Role::User, "important")));
    }
    let steering = second.steering();
    second.cancel();
    for reply in [second.await, invalid.await] {
        assert_eq!(reply.not_joined.len(), 1, "{:?}", reply.outcome);
    }
    assert!(!steering.steer(Message::new(Role::User, "later")));
    first.await;
}
