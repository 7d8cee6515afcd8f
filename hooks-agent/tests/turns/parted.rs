//! Separated calls and results: by a store that fails, a program that is killed, a compactor, a hook that filters.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hook_sdk::data::{Block, CompactedHistory, Message, Messages, Role};
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::CompactionKind;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_agent::SubAgent;
use hooks_agent::model::{Deltas, Line, Model, ModelAnswer, ModelCall, ModelError};
use hooks_agent::store::{Append, MessageStore, StoreError};
use hooks_agent::window::{Compaction, Compactor, ToCompact, Window};
use serde_json::json;

use super::bench::{Bench, line};
use super::stores::{Disturb, Disturbed};

/// Fails at the nth `append`, and works afterwards.
struct Fails {
    at: usize,
    appends: AtomicUsize,
}

impl Disturb for Fails {
    fn before(&self, call: &'static str) -> BoxFuture<'_, Result<(), StoreError>> {
        let fails = call == "append" && self.appends.fetch_add(1, Ordering::Relaxed) + 1 == self.at;
        Box::pin(async move { if fails { Err(StoreError::new("the disk is full")) } else { Ok(()) } })
    }
}

/// The messages of the last model call.
fn sent(bench: &Bench) -> Vec<String> {
    bench.model.heard().last().unwrap().messages.iter().map(line).collect()
}

const STARTED: &str = "tool: <- The call was started, but the turn ended before its result was stored";
const LOST: &str =
    "tool: <- No result is stored: the call may have run, but its turn ended before the result was stored";

#[tokio::test]
async fn a_call_whose_result_could_not_be_stored_is_not_reported_as_not_run() {
    let bench = Bench::new([Line::calls([("1", "lookup", json!({ "id": "a" })), ("2", "lookup", json!({}))])]);
    let store = Disturbed { store: Arc::clone(&bench.store), by: Fails { at: 3, appends: AtomicUsize::new(0) } };
    let reply = bench.session(bench.harness().store(store)).await.turn(None, "hi").await;
    assert_eq!(reply.to_string(), "[Failed] The conversation could not be stored or read.");
    assert_eq!(bench.stored().await[2..], [STARTED, "tool: <- Not run: the turn ended"]);
}

#[tokio::test]
async fn a_call_whose_result_a_required_hook_blocked_is_not_reported_as_not_run() {
    let mut bench = Bench::new([Line::call("1", "lookup", json!({ "id": "a" }))]);
    let mask =
        |_: &HookContext, _: &AfterToolCallSuccess, _: &ToolResult| Err::<(), _>(std::io::Error::other("no list"));
    bench.app(Hook::at::<AfterToolCallSuccess>("mask").reader(mask).on_failure(OnFailure::Required));
    bench.turn().await;
    assert_eq!(bench.log.take(), ["the model", "the tool"]);
    assert_eq!(bench.stored().await[2..], [STARTED]);
}

#[tokio::test]
async fn a_call_that_a_killed_program_left_open_gets_a_result_and_stored_rows_stay() {
    let bench = Bench::new([Line::text("done")]);
    let call = |id: &str| Block::ToolUse(ToolCall::new(id, "lookup", ToolInput::parse("{}")));
    let result = ToolResult::new("found").into_block(&ToolCall::new("1", "lookup", ToolInput::parse("{}")));
    let rows = vec![
        Message::new(Role::User, "q"),
        Message::of(Role::Assistant, vec![call("1"), call("2")]),
        Message::of(Role::Tool, vec![result]),
    ];
    bench.store.append("c", Append::new(rows)).await.unwrap();
    assert_eq!(bench.turn().await.to_string(), "done");
    let calls = "assistant: -> lookup({}) | -> lookup({})";
    assert_eq!(sent(&bench), ["user: q", calls, "tool: <- found", LOST, "user: hi"]);
    assert_eq!(bench.stored().await, ["user: q", calls, "tool: <- found", "user: hi", "assistant: done"]);
}

#[tokio::test]
async fn stored_calls_have_unique_ids_even_if_hooks_hide_one_from_the_model() {
    let lookup = || Line::call("1", "lookup", json!({ "id": "a" }));
    let mut bench = Bench::new([lookup(), Line::text("done"), lookup(), Line::text("done")]);
    bench.app(Hook::at::<FilterMessages>("forget").writer(|_, _, messages: &mut Messages| messages.clear()));
    let session = bench.session(bench.harness()).await;
    for _ in 0..2 {
        assert_eq!(session.turn(None, "hi").await.to_string(), "done");
    }
    let rows = bench.store.page("c", None, 100).await.unwrap().rows;
    let ids: Vec<_> = rows.iter().flat_map(|row| row.message.tool_calls()).map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["1", "call_1"]);
}

/// Keeps the second half of the messages, even if that separates a call from its result.
struct Halves;

impl Compactor for Halves {
    fn compact(&self, kind: &CompactionKind, conversation: ToCompact<'_>) -> Option<Compaction> {
        let messages = conversation.messages;
        let rest: Messages = messages[messages.len() / 2..].to_vec().into();
        (*kind == CompactionKind::Micro).then(|| Compaction::Rest(CompactedHistory::new(rest)))
    }
}

#[tokio::test]
async fn a_compactor_that_separates_a_result_from_its_call_changes_nothing() {
    let bench = Bench::new([Line::call("1", "lookup", json!({ "id": "a" })), Line::text("done"), Line::text("again")]);
    let session = bench.session(bench.harness()).await;
    session.turn(None, "hi").await;
    // Five messages, the third of which is the result.
    let window = Window::new(100).compact_at(0).compactor(Halves);
    let session = bench.session(bench.harness().window(window)).await;
    assert_eq!(session.turn(None, "and now").await.to_string(), "again");
    assert_eq!(sent(&bench), ["assistant: done", "user: and now"]);
    let call = "assistant: -> lookup({\"id\":\"a\"})";
    let all = ["user: hi", call, "tool: <- found a", "assistant: done", "user: and now", "assistant: again"];
    assert_eq!(bench.stored().await, all);
}

/// Changes nothing.
struct Same;

impl Compactor for Same {
    fn compact(&self, kind: &CompactionKind, conversation: ToCompact<'_>) -> Option<Compaction> {
        let messages = conversation.messages;
        (*kind == CompactionKind::Micro).then(|| Compaction::Rest(CompactedHistory::new(messages.clone())))
    }
}

#[tokio::test]
async fn a_user_message_that_looks_like_a_hook_context_is_kept() {
    let mut bench = Bench::new([Line::text("done")]);
    bench.app(Hook::at::<UserPromptSubmit>("context").reader(|_, _, _| PromptVerdict::context("by a hook")));
    let window = Window::new(100).compact_at(0).compactor(Same);
    let session = bench.session(bench.harness().window(window)).await;
    let typed = "<user-prompt-submit-hook>\nby a person\n</user-prompt-submit-hook>";
    session.turn(None, typed).await;
    assert_eq!(sent(&bench).len(), 2);
    assert_eq!(bench.stored().await, [format!("user: {typed}"), "assistant: done".to_owned()]);
}

#[tokio::test]
async fn a_sub_agent_replaces_a_tool_with_the_same_name() {
    let bench =
        Bench::new([Line::call("1", "lookup", json!({ "prompt": "who?" })), Line::text("me"), Line::text("ok")]);
    let harness = bench.harness().agent(SubAgent::new(AgentDef::new("lookup"), "looks things up"));
    bench.session(harness).await.turn(None, "hi").await;
    let offered: Vec<_> = bench.model.heard()[0].tools.iter().map(|tool| tool.name.clone()).collect();
    assert_eq!(offered, ["breaks", "panics", "lookup"]);
    assert_eq!(bench.stored().await[2], "tool: <- me");
}

/// Calls a tool, then answers. Other tasks run meanwhile.
struct Yields;

impl Model for Yields {
    fn call<'a>(&'a self, call: &'a ModelCall, _: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move {
            tokio::task::yield_now().await;
            let reported = call.messages.last().is_some_and(|message| message.role == Role::Tool);
            let lookup = || Block::ToolUse(ToolCall::new("1", "lookup", json!({ "id": "a" })));
            Ok(if reported { ModelAnswer::text("done") } else { ModelAnswer::new(vec![lookup()]) })
        })
    }
}

#[tokio::test]
async fn turns_of_two_sessions_of_one_conversation_do_not_interleave() {
    let bench = Bench::new([]);
    let harness = bench.harness().model("main", Yields).build().unwrap();
    let (one, other) =
        tokio::join!(harness.session("c", AgentDef::new("a")).open(), harness.session("c", AgentDef::new("b")).open(),);
    let (one, other) = (one.unwrap(), other.unwrap());
    let note = Message::new(Role::User, "a note");
    let (first, second, added) =
        tokio::join!(one.turn(None, "first").into_future(), other.turn(None, "second"), one.add(None, note));
    assert_eq!((first.to_string().as_str(), second.to_string().as_str()), ("done", "done"));
    added.unwrap();
    let turn = |prompt: &str| {
        let call = "assistant: -> lookup({\"id\":\"a\"})";
        [&format!("user: {prompt}"), call, "tool: <- found a", "assistant: done"].map(str::to_owned)
    };
    let stored = bench.stored().await;
    assert_eq!(
        (&stored[..4], &stored[4..8], stored[8].as_str()),
        (&turn("first")[..], &turn("second")[..], "user: a note")
    );
}
