//! Unusual answers: none at all, one whose role a hook changes, calls with the same id.

use hook_sdk::data::Block;
use hook_sdk::kinds::ExitReason;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_agent::model::{Line, ModelAnswer, Recording};
use hooks_agent::{Harness, Outcome};
use serde_json::json;

use super::bench::{Bench, line};

#[tokio::test]
async fn an_answer_whose_role_a_hook_changes_stays_the_answer() {
    let mut bench = Bench::new([Line::text("hello")]);
    bench.app(Hook::at::<BeforeCreateMessage>("recast").writer(|_, _, row: &mut Message| {
        if row.role == Role::Assistant {
            row.role = Role::User;
        }
    }));
    let reply = bench.turn().await;
    assert!(matches!(reply.outcome, Outcome::Answered(_)), "{reply:?}");
    assert_eq!((reply.to_string().as_str(), &reply.exit), ("hello", &ExitReason::NoToolCalls));
    assert_eq!(bench.stored().await, ["user: hi", "user: hello"]);
}

#[tokio::test]
async fn an_empty_answer_ends_the_turn_and_is_not_stored() {
    let bench = Bench::new([Line::call("1", "lookup", json!({})), Line::answer(ModelAnswer::new(Vec::new()))]);
    let reply = bench.turn().await;
    assert!(matches!(reply.outcome, Outcome::Answered(_)), "{reply:?}");
    assert_eq!((reply.to_string().as_str(), &reply.exit), ("", &ExitReason::NoToolCalls));
    assert_eq!(bench.stored().await.len(), 3);
}

fn two_of_one_id() -> Message {
    let call = |id: &str| Block::ToolUse(ToolCall::new("same", "lookup", json!({ "id": id })));
    Message::of(Role::Assistant, vec![call("a"), call("b")])
}

#[tokio::test]
async fn calls_of_one_answer_that_share_an_id_both_run_and_each_has_its_own_result() {
    let bench = Bench::new([Line::answer(ModelAnswer::new(two_of_one_id().content.clone())), Line::text("done")]);
    let reply = bench.turn().await;
    assert_eq!(bench.stored().await[2..], ["tool: <- found a", "tool: <- found b", "assistant: done"]);
    let calls: Vec<_> = reply.messages.iter().flat_map(Message::tool_calls).map(|call| call.id.clone()).collect();
    assert!(calls[0] == "same" && calls[1] != "same", "{calls:?}");
    let answered: Vec<_> = reply
        .messages
        .iter()
        .flat_map(|message| &message.content)
        .filter_map(|block| if let Block::ToolResult(result) = block { Some(result.call_id.clone()) } else { None })
        .collect();
    assert_eq!(answered, calls);
}

#[tokio::test]
async fn a_replayed_recording_gives_each_call_with_a_shared_id_its_own_result() {
    let result = |text: &str| {
        let call = ToolCall::new("same", "lookup", json!({}));
        Message::of(Role::Tool, vec![ToolResult::new(text).into_block(&call)])
    };
    let messages = vec![
        Message::new(Role::User, "look"),
        two_of_one_id(),
        result("first"),
        result("second"),
        two_of_one_id(),
        result("third"),
        result("fourth"),
        Message::new(Role::Assistant, "here"),
    ];
    let recording = Recording::of(&messages.into());
    let harness =
        Harness::builder(Registry::empty()).model("main", recording.model()).tools(recording.tools()).build().unwrap();
    let session = harness.session("c", AgentDef::new("a")).open().await.unwrap();
    let rows: Vec<_> = session.turn(None, "look").await.messages.iter().map(line).collect();
    let results: Vec<_> = rows.iter().filter(|row| row.contains("<-")).map(String::as_str).collect();
    assert_eq!(results, ["tool: <- first", "tool: <- second", "tool: <- third", "tool: <- fourth"]);
    assert_eq!(rows.last().map(String::as_str), Some("assistant: here"));
}

#[tokio::test]
async fn a_recorded_result_belongs_to_the_nearest_call_with_its_id() {
    let asks = |id: &str| {
        let call = ToolCall::new("same", "lookup", json!({ "id": id }));
        Message::of(Role::Assistant, vec![Block::ToolUse(call)])
    };
    let result = ToolResult::new("found b").into_block(&ToolCall::new("same", "lookup", json!({})));
    let messages = vec![Message::new(Role::User, "look"), asks("a"), asks("b"), Message::of(Role::Tool, vec![result])];
    let recording = Recording::of(&messages.into());
    let harness =
        Harness::builder(Registry::empty()).model("main", recording.model()).tools(recording.tools()).build().unwrap();
    let session = harness.session("c", AgentDef::new("a")).open().await.unwrap();
    let rows: Vec<_> = session.turn(None, "look").await.messages.iter().map(line).collect();
    let results: Vec<_> = rows.iter().filter(|row| row.contains("<-")).map(String::as_str).collect();
    assert_eq!(results, ["tool: <- no result of `lookup` for this input was recorded", "tool: <- found b"]);
}
