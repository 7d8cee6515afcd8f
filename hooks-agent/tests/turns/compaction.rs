//! A compaction never removes what was not summarised, and takes the next step if one did not help.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use hook_sdk::data::{Block, Message, MessageUpdate, Role};
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::ExitReason;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_agent::model::{Deltas, Line, Model, ModelAnswer, ModelCall, ModelError};
use hooks_agent::store::{Append, MessageStore, StoreError};
use hooks_agent::tool::{FnTool, ToolSpec};
use hooks_agent::window::{Compaction, Compactor, ToCompact, Window};
use hooks_agent::{Harness, Reply, TurnEvent};
use serde_json::json;

use super::bench::{Bench, line, turn_with_events};
use super::stores::{Disturb, Disturbed};

fn old(i: usize) -> Message {
    Message::new([Role::User, Role::Assistant][i % 2], format!("message {i}"))
}

fn overflow() -> Line {
    Line::error(ModelError::Overflow("too long".into()))
}

fn busy() -> Line {
    Line::error(ModelError::rate_limited("429", None))
}

async fn history(bench: &Bench) -> Vec<String> {
    let page = bench.store.history("c", None, 1_000).await.unwrap();
    page.rows.iter().map(|row| line(&row.message)).collect()
}

fn compacted(events: &[TurnEvent]) -> Vec<String> {
    let kind = |event: &TurnEvent| match event {
        TurnEvent::Compacted { kind, .. } => Some(kind.to_string()),
        _ => None,
    };
    events.iter().filter_map(kind).collect()
}

#[tokio::test(start_paused = true)]
async fn a_failed_summary_replaces_nothing_and_the_reply_names_the_omitted_rows() {
    for failing in [busy(), Line::error(ModelError::Rejected("no".into())), Line::text(" ")] {
        // A summary is tried twice, with up to three calls each.
        let lines = [overflow()].into_iter().chain((0..6).map(|_| failing.clone())).chain([Line::text("done")]);
        let bench = Bench::new(lines);
        bench.store.append("c", (0..12).map(old).collect()).await.unwrap();
        let session = bench.session(bench.harness()).await;
        let (reply, events) = turn_with_events(&session, "hi").await;
        if compacted(&events) == ["minimal_history"] {
            assert_eq!(reply.left_out.len(), 12, "{reply}");
        }
        let stored = bench.stored().await;
        assert_eq!(stored[..12], (0..12).map(|i| line(&old(i))).collect::<Vec<_>>());
        // The next turn starts with all of it.
        session.turn(None, "again").await;
        assert_eq!(bench.model.heard().last().unwrap().messages.len(), stored.len() + 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_summary_is_retried_like_any_call_and_its_request_ends_with_a_user_message() {
    let bench = Bench::new([overflow(), busy(), busy(), Line::text("summary"), Line::text("done")]);
    bench.store.append("c", (0..12).map(old).collect()).await.unwrap();
    let reply = bench.session(bench.harness()).await.turn(None, "hi").await;
    assert_eq!((reply.to_string().as_str(), reply.left_out.len()), ("done", 0));
    let heard = bench.model.heard();
    let asked: Vec<_> = heard[3].messages.iter().map(line).collect();
    assert_eq!(asked.len(), 8 + 1);
    assert!(asked[8].starts_with("user: Sum up the conversation above"), "{asked:?}");
    assert_eq!(history(&bench).await[..12], (0..12).map(|i| line(&old(i))).collect::<Vec<_>>());
}

/// Rejects calls with more characters than this, including summaries.
struct Small(usize, AtomicUsize);

impl Model for Small {
    fn call<'a>(&'a self, call: &'a ModelCall, _: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        let chars: usize = call.messages.iter().map(|message| line(message).len()).sum();
        let calls = self.1.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            if chars > self.0 {
                return Err(ModelError::Overflow(format!("{chars} > {}", self.0)));
            }
            let sums_up = call.messages.last().is_some_and(|message| message.text().starts_with("Sum up"));
            Ok(ModelAnswer::text(if sums_up { format!("sum{calls}") } else { "done".to_owned() }))
        })
    }
}

async fn with_small(limit: usize, rows: usize) -> (Bench, Reply, Vec<TurnEvent>) {
    let bench = Bench::new([]);
    bench.store.append("c", (0..rows).map(old).collect()).await.unwrap();
    let harness = bench.harness().model("main", Small(limit, AtomicUsize::new(0)));
    let (reply, events) = turn_with_events(&bench.session(harness).await, "hi").await;
    (bench, reply, events)
}

#[tokio::test]
async fn each_rejection_leads_to_the_next_step_and_a_long_history_is_summarised_in_parts() {
    let (_, reply, events) = with_small(400, 40).await;
    assert_eq!((reply.to_string().as_str(), compacted(&events)), ("done", vec!["full".to_owned()]));
    assert!(reply.left_out.is_empty(), "{reply:?}");

    let (_, reply, events) = with_small(160, 400).await;
    assert_eq!(reply.to_string(), "done");
    assert_eq!(compacted(&events), ["full", "full", "minimal_history"]);
    assert!(!reply.left_out.is_empty());

    let (bench, reply, events) = with_small(3, 40).await;
    assert_eq!(reply.exit, ExitReason::ContextTooLarge);
    let calls = events.iter().filter(|event| matches!(event, TurnEvent::ModelCalled { .. })).count();
    assert!(calls < 40, "{calls} calls for a window in which nothing fits");
    assert_eq!(bench.stored().await.len(), 41, "nothing was summed up");
}

/// Or else a model repeats what was denied, or a payment that may have been made.
#[tokio::test]
async fn dropping_old_outputs_keeps_what_errors_say() {
    let denied = "Denied: refunds above 1000.00 are not made here, and a person has said so; do not try again";
    let long = |word: &str| word.repeat(500);
    let results = [ToolResult::error(denied), ToolResult::error(long("stack ")), ToolResult::new(long("row "))];
    let mut rows = Vec::new();
    for (at, result) in results.into_iter().chain((0..3).map(|_| ToolResult::new("ok"))).enumerate() {
        let call = ToolCall::new(at.to_string(), "lookup", json!({}));
        rows.push(Message::of(Role::Assistant, vec![Block::ToolUse(call.clone())]));
        rows.extend(result.into_messages(&call));
    }
    let bench = Bench::new([Line::text("done")]);
    bench.store.append("c", Append::from_iter(rows)).await.unwrap();
    let harness = bench.harness().window(Window::new(2_000).compact_at(500));
    let (_, events) = turn_with_events(&bench.session(harness).await, "hi").await;
    assert_eq!(compacted(&events), ["microcompact"]);
    let read: Vec<_> = bench.model.heard()[0].messages.iter().map(line).collect();
    assert_eq!(read[1], format!("tool: <- {denied}"));
    assert!(read[3].starts_with("tool: <- stack stack") && read[3].len() < 300, "{}", read[3]);
    assert_eq!(read[5], "tool: <- [output dropped to save room]");
}

/// Reads one file per step and never ends.
struct Codes {
    limit: usize,
    steps: usize,
    calls: AtomicUsize,
    longest: Arc<Mutex<usize>>,
}

impl Model for Codes {
    fn call<'a>(&'a self, call: &'a ModelCall, _: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        let chars: usize = call.messages.iter().map(|message| line(message).len()).sum();
        Box::pin(async move {
            if chars > self.limit {
                return Err(ModelError::Overflow(format!("{chars}")));
            }
            if call.messages.last().is_some_and(|message| message.text().starts_with("Sum up")) {
                return Ok(ModelAnswer::text("they edit files"));
            }
            let mut longest = self.longest.lock().unwrap();
            *longest = chars.max(*longest);
            let step = self.calls.fetch_add(1, Ordering::Relaxed);
            if step == self.steps {
                return Ok(ModelAnswer::text("done"));
            }
            let edit = json!({ "file": format!("src/{step}.rs"), "text": "let x = 1; ".repeat(100) });
            Ok(ModelAnswer::new(vec![Block::ToolUse(ToolCall::new(format!("c{step}"), "edit", edit))]))
        })
    }
}

#[tokio::test]
async fn a_long_turn_is_compacted_while_it_runs_and_ends() {
    // With and without a window of the app: the provider's rejection suffices.
    for window in [Some(Window::new(5_000).compact_at(4_000)), None] {
        let bench = Bench::new([]);
        let model = Codes { limit: 20_000, steps: 45, calls: AtomicUsize::new(0), longest: Arc::default() };
        let edit =
            FnTool::new(ToolSpec::new("edit"), |_, input| Ok(format!("{} {}", input["file"], "ok ".repeat(200))));
        let mut harness = bench.harness().model("main", model).tool(edit);
        let windowed = window.is_some();
        if let Some(window) = window {
            harness = harness.window(window);
        }
        let (reply, events) = turn_with_events(&bench.session(harness).await, "refactor it").await;
        let done = reply.to_string() == "done" || (!windowed && reply.to_string().ends_with("max_iterations]"));
        assert!(done, "{reply}: {:?}", compacted(&events));
        assert_ne!(reply.exit, ExitReason::ContextTooLarge);
        assert!(reply.left_out.is_empty(), "{:?}", reply.left_out);
        // The prompt is still read, and the history has every result in full.
        let page = bench.store.page("c", None, 1_000).await.unwrap();
        assert_eq!(page.rows[0].message.text(), "refactor it");
        let whole =
            history(&bench).await.iter().filter(|line| line.starts_with("tool:") && line.contains("ok ok")).count();
        assert!(whole >= 30, "{whole}");
    }
}

#[tokio::test]
async fn a_tool_result_with_the_role_of_the_user_is_not_taken_for_the_prompt() {
    let mut bench = Bench::new([
        Line::text("first answer"),
        Line::call("1", "lookup", json!({ "id": "a" })),
        overflow(),
        Line::text("done"),
    ]);
    bench.app(Hook::at::<AfterToolCallSuccess>("relays").writer(|_, _, result: &mut ToolResult| {
        result.said_by = Some(Role::User);
    }));
    // Only the last step is left.
    let session =
        bench.session(bench.harness().window(Window::new(1_000_000).compactor(super::attacked::Minimal))).await;
    session.turn(None, "first").await;
    let reply = session.turn(None, "the prompt").await;
    let sent: Vec<_> = bench.model.heard().last().unwrap().messages.iter().map(line).collect();
    assert_eq!(sent[0], "user: the prompt");
    assert_eq!(sent.last().unwrap(), "user: found a");
    assert_eq!((reply.left_out.len(), bench.stored().await.len()), (2, 7));
}

/// Changes the store before the nth call of a method, like another process would.
struct Other<F>(&'static str, usize, AtomicUsize, F);

impl<F: Fn() -> BoxFuture<'static, ()> + Send + Sync + 'static> Disturb for Other<F> {
    fn before(&self, call: &'static str) -> BoxFuture<'_, Result<(), StoreError>> {
        let now = call == self.0 && self.2.fetch_add(1, Ordering::Relaxed) + 1 == self.1;
        Box::pin(async move {
            if now {
                (self.3)().await;
            }
            Ok(())
        })
    }
}

fn disturbed<F>(
    bench: &Bench,
    call: &'static str,
    nth: usize,
    change: F,
) -> Disturbed<Other<impl Fn() -> BoxFuture<'static, ()> + Send + Sync + 'static>>
where
    F: Fn(Arc<hooks_agent::store::MemoryStore>) -> BoxFuture<'static, ()> + Send + Sync + 'static,
{
    let store = Arc::clone(&bench.store);
    let change = move || change(Arc::clone(&store));
    Disturbed { store: Arc::clone(&bench.store), by: Other(call, nth, AtomicUsize::new(0), change) }
}

#[tokio::test]
async fn rows_that_another_process_appends_during_a_summary_are_not_lost() {
    let bench = Bench::new([overflow(), Line::text("summary"), Line::text("done"), Line::text("again")]);
    bench.store.append("c", (0..12).map(old).collect()).await.unwrap();
    let store = disturbed(&bench, "fold", 1, |store| {
        Box::pin(async move {
            store.append("c", Append::new([Message::new(Role::User, "by another")])).await.unwrap();
        })
    });
    let session = bench.session(bench.harness().store(store)).await;
    assert_eq!(session.turn(None, "hi").await.to_string(), "done");
    let summary = "user: <conversation-summary>\nsummary\n</conversation-summary>";
    let kept: Vec<_> = (8..12).map(|i| line(&old(i))).collect();
    let expected =
        [&[summary.to_owned()], &kept[..], &["user: hi", "user: by another", "assistant: done"].map(str::to_owned)]
            .concat();
    assert_eq!(bench.stored().await, expected);
    session.turn(None, "next").await;
    let sent: Vec<_> = bench.model.heard().last().unwrap().messages.iter().map(line).collect();
    assert!(sent.contains(&"user: by another".to_owned()), "{sent:?}");
}

#[tokio::test]
async fn a_summary_is_discarded_if_another_process_changes_a_covered_row() {
    let bench = Bench::new([overflow(), Line::text("summary"), Line::text("summary 2"), Line::text("done")]);
    let rows = bench.store.append("c", (0..12).map(old).collect()).await.unwrap().rows;
    let id = rows[1].id.clone();
    let store = disturbed(&bench, "fold", 1, move |store| {
        let id = id.clone();
        Box::pin(async move {
            store
                .update("c", &id, MessageUpdate::from_iter([("content".to_owned(), json!("masked"))]), None)
                .await
                .unwrap();
        })
    });
    bench.session(bench.harness().store(store)).await.turn(None, "hi").await;
    // It was summarised again, without what was masked.
    let heard = bench.model.heard();
    let asked: Vec<_> = heard[2].messages.iter().map(line).collect();
    assert_eq!(asked[1], "assistant: masked");
    assert!(bench.stored().await[0].contains("summary 2"));
}

#[tokio::test]
async fn a_row_stored_between_a_call_and_its_result_does_not_separate_them_for_the_model() {
    let bench = Bench::new([Line::call("1", "lookup", json!({ "id": "a" })), Line::text("done"), Line::text("again")]);
    // The third one is that of the result.
    let store = disturbed(&bench, "append", 3, |store| {
        Box::pin(async move {
            store.append("c", Append::new([Message::new(Role::User, "by another")])).await.unwrap();
        })
    });
    let session = bench.session(bench.harness().store(store)).await;
    assert_eq!(session.turn(None, "hi").await.to_string(), "done");
    session.turn(None, "next").await;
    let sent: Vec<_> = bench.model.heard().last().unwrap().messages.iter().map(line).collect();
    let call = "assistant: -> lookup({\"id\":\"a\"})";
    assert_eq!(sent, ["user: hi", call, "tool: <- found a", "user: by another", "assistant: done", "user: next"]);
}

#[tokio::test]
async fn a_row_keeps_its_id_through_a_compaction() {
    let bench = Bench::new([overflow(), Line::text("summary"), Line::text("done")]);
    bench.store.append("c", (0..12).map(old).collect()).await.unwrap();
    let harness: Harness = bench.harness().build().unwrap();
    let session = harness.session("c", AgentDef::new("a")).open().await.unwrap();
    let note = session.add(None, Message::new(Role::Assistant, "a note")).await.unwrap();
    session.turn(None, "hi").await;
    session.update(&note.id, MessageUpdate::from_iter([("content".to_owned(), json!("mended"))])).await.unwrap();
    let stored = bench.stored().await;
    assert_eq!(stored.iter().filter(|line| line.as_str() == "assistant: mended").count(), 1, "{stored:?}");
    assert!(stored.contains(&"assistant: done".to_owned()), "{stored:?}");
}

/// The ids of the calls in the history, in order.
async fn ids(bench: &Bench) -> Vec<String> {
    let page = bench.store.history("c", None, 1_000).await.unwrap();
    page.rows.iter().flat_map(|row| row.message.tool_calls()).map(|call| call.id.clone()).collect()
}

#[tokio::test]
async fn a_call_gets_no_id_of_a_call_that_a_summary_replaces() {
    let call = || Line::call("1", "lookup", json!({}));
    let bench = Bench::new([call(), Line::text("a"), Line::text("b"), Line::text("summary"), call(), Line::text("c")]);
    let session = bench.session(bench.harness()).await;
    session.turn(None, "one").await;
    for number in 0..3 {
        session.add(None, old(number)).await.unwrap();
    }
    session.turn(None, "two").await;
    for number in 0..8 {
        session.add(None, old(number)).await.unwrap();
    }
    assert!(session.compact("").await.unwrap());
    assert!(!bench.stored().await.concat().contains("lookup"), "{:?}", bench.stored().await);
    // In a session of its own, as after a restart.
    let session = bench.session(bench.harness()).await;
    assert_eq!(session.turn(None, "three").await.to_string(), "c");
    let ids = ids(&bench).await;
    assert!(ids.len() == 2 && ids[0] != ids[1], "{ids:?}");
}

/// Shortens a conversation once, with a function of its messages.
struct Once(fn(Vec<Message>) -> Compaction, AtomicUsize);

impl Compactor for Once {
    fn compact(&self, _: &CompactionKind, conversation: ToCompact<'_>) -> Option<Compaction> {
        let is_first = self.1.fetch_add(1, Ordering::Relaxed) == 0;
        is_first.then(|| (self.0)(conversation.messages.iter().cloned().collect()))
    }
}

/// The calls (`c`) and results (`r`) in `messages`, with what the results say.
fn calls_and_results(messages: &[Message]) -> Vec<String> {
    let of = |block: &Block| match block {
        Block::ToolUse(call) => Some(format!("c{}", call.id)),
        Block::ToolResult(result) => Some(format!(
            "r{} {}",
            result.call_id,
            result.content.iter().filter_map(Block::as_text).collect::<String>()
        )),
        _ => None,
    };
    messages.iter().flat_map(|message| &message.content).filter_map(of).collect()
}

/// Nothing in what is left, and nothing in the order of the rows, says that there were others.
#[tokio::test]
async fn a_call_gets_no_id_of_a_call_that_an_apps_compactor_rewrote() {
    fn rewritten(messages: Vec<Message>) -> Compaction {
        let rewrite = |(at, message): (usize, Message)| {
            if at == 0 { message } else { Message::new(message.role, format!("message {at}")) }
        };
        Compaction::Rest(CompactedHistory::new(
            messages.into_iter().enumerate().map(rewrite).collect::<Vec<_>>().into(),
        ))
    }
    let call = || Line::call("1", "lookup", json!({}));
    let bench = Bench::new([call(), Line::text("and so on ".repeat(40)), Line::text("b"), call(), Line::text("c")]);
    bench.session(bench.harness()).await.turn(None, "hello ".repeat(20)).await;
    let window = Window::new(1_000_000).compact_at(1).compactor(Once(rewritten, AtomicUsize::new(0)));
    bench.session(bench.harness().window(window)).await.turn(None, "and now").await;
    assert!(!bench.stored().await.concat().contains("lookup"), "{:?}", bench.stored().await);
    let session = bench.session(bench.harness()).await;
    assert_eq!(session.turn(None, "three").await.to_string(), "c");
    let ids = ids(&bench).await;
    assert!(ids.len() == 2 && ids[0] != ids[1], "{ids:?}");
}

/// The messages are: the first prompt, two calls, their results, the answer, and the second prompt.
#[tokio::test]
async fn each_call_has_exactly_one_stored_result_whatever_compaction_does() {
    type Case = (&'static str, fn(Vec<Message>) -> Compaction, &'static [&'static str]);
    const BOTH: &[&str] = &["c1", "c2", "r1 found a", "r2 found b"];
    fn left(messages: Vec<Message>) -> CompactedHistory {
        CompactedHistory::new(messages.into())
    }
    fn without(mut messages: Vec<Message>, at: usize) -> Vec<Message> {
        messages.remove(at);
        messages
    }
    let cases: [Case; 10] = [
        ("a result is dropped", |all| Compaction::Rest(left(without(all, 2))), BOTH),
        ("and there is a summary", |all| Compaction::Rest(left(without(all, 2)).summary("sum")), BOTH),
        ("the calls are dropped", |all| Compaction::Rest(left(without(all, 1))), BOTH),
        ("and there is a summary of them", |all| Compaction::Rest(left(without(all, 1)).summary("sum")), &[]),
        (
            "a result is shortened",
            |mut all| {
                let Block::ToolResult(result) = &mut all[2].content[0] else { panic!("{all:?}") };
                result.content = vec![Block::from("cut")];
                all[0] = Message::new(Role::User, "h");
                Compaction::Rest(left(all))
            },
            &["c1", "c2", "r1 cut", "r2 found b"],
        ),
        (
            "everything is turned round",
            |mut all| {
                all.reverse();
                Compaction::Rest(left(without(all, 1)))
            },
            BOTH,
        ),
        (
            "a call is there twice",
            |mut all| {
                all[0] = all[1].clone();
                Compaction::Rest(left(without(all, 4)))
            },
            BOTH,
        ),
        (
            "one of the calls is dropped",
            |mut all| {
                all[1].content.pop();
                Compaction::Rest(left(all))
            },
            BOTH,
        ),
        ("a summary ends between the calls and their results", |_| Compaction::summarise("Sum up.", 0..3), BOTH),
        ("a summary begins there", |_| Compaction::summarise("Sum up.", 2..5), &[]),
    ];
    for (what, compact, expected) in cases {
        let calls = Line::calls([("1", "lookup", json!({ "id": "a" })), ("2", "lookup", json!({ "id": "b" }))]);
        let said = "and so on ".repeat(40);
        let bench = Bench::new([calls, Line::text(said), Line::text("s"), Line::text("s"), Line::text("done")]);
        bench.session(bench.harness()).await.turn(None, "hello ".repeat(20)).await;
        let window = Window::new(1_000_000).compact_at(1).compactor(Once(compact, AtomicUsize::new(0)));
        let session = bench.session(bench.harness().window(window)).await;
        session.turn(None, "and now").await;
        let page = bench.store.page("c", None, 100).await.unwrap();
        let stored: Vec<_> = page.rows.into_iter().map(|row| row.message).collect();
        assert_eq!(calls_and_results(&stored), expected, "{what}: {stored:#?}");
        let prompts = stored.iter().filter(|message| message.text() == "and now").count();
        assert_eq!(prompts, 1, "{what}");
    }
}
