//! Other features of the harness: provider fields, messages between turns, events, recordings of turns.

use hook_sdk::data::{Block, ToolCall};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::verdict::PromptVerdict;
use hooks_agent::model::{Line, ModelAnswer, Recording};
use hooks_agent::{Harness, TurnEvent};
use serde_json::json;

use super::bench::{Bench, line};

/// Masks fields of the provider, in a required hook.
fn masks_names() -> Hook {
    Hook::at::<BeforeCreateMessage>("mask_names").writer(|_, _, row: &mut Message| {
        if row.extra.contains_key("name") {
            row.extra.insert("name".to_owned(), json!("someone"));
        }
    })
}

#[tokio::test]
async fn provider_fields_are_stored_as_the_hooks_leave_them() {
    let mut answer = ModelAnswer::text("hello");
    answer.extra.insert("name".to_owned(), json!("bob"));
    let mut bench = Bench::new([Line::answer(answer)]);
    bench.app(masks_names());
    let session = bench.session(bench.harness()).await;
    let mut prompt = Message::new(Role::User, "hi");
    prompt.extra.insert("name".to_owned(), json!("ann"));
    let reply = session.begin(prompt).await;
    let names: Vec<_> = reply.messages.iter().map(|message| message.extra["name"].clone()).collect();
    assert_eq!(names, [json!("someone"), json!("someone")]);
    assert_eq!(bench.stored().await, ["user: hi", "assistant: hello"]);
}

#[tokio::test]
async fn a_message_between_turns_fires_its_hooks_and_is_read_in_the_next_turn() {
    let mut bench = Bench::watched([Line::text("hello")]);
    bench.app(masks_names());
    let session = bench.session(bench.harness()).await;
    bench.log.take();
    let mut note = Message::new(Role::Assistant, "Good morning.");
    note.extra.insert("name".to_owned(), json!("bob"));
    let row = session.add(None, note).await.unwrap();
    assert_eq!(row.message.extra["name"], json!("someone"));
    assert_eq!(bench.log.take(), ["before_create_message", "after_create_message"]);
    let _reply = session.turn(None, "hi").await;
    let read: Vec<_> = bench.model.heard()[0].messages.iter().map(line).collect();
    assert_eq!(read, ["assistant: Good morning.", "user: hi"]);
}

#[tokio::test]
async fn events_report_the_model_s_input_and_the_stored_results() {
    let mut bench = Bench::new([Line::call("1", "lookup", json!({})), Line::text("nothing")]);
    bench.app(Hook::at::<AfterToolCallSuccess>("drop").replacer(|_, _, _| -> Option<ToolResult> { None }));
    bench.app(Hook::at::<UserPromptSubmit>("note").reader(|_, _, _| PromptVerdict::context("be kind")));
    bench.app(Hook::at::<FilterMessages>("forget").writer(|_, _, messages: &mut Messages| messages.clear()));
    let session = bench.session(bench.harness()).await;
    session.add(None, Message::new(Role::User, "long ago")).await.unwrap();
    let mut turn = session.turn(None, "hi");
    let mut reported = Vec::new();
    while let Some(event) = turn.next().await {
        match event {
            TurnEvent::Prepared { left_out, contexts, .. } => {
                reported.push(format!("{left_out} out, {contexts} contexts"));
            }
            TurnEvent::ModelCalled { profile, messages, .. } => reported.push(format!("{profile} reads {messages}")),
            TurnEvent::ToolFinished { removed_by, .. } => reported.push(format!("removed by {}", removed_by.unwrap())),
            _ => {}
        }
    }
    assert_eq!(reported, ["1 out, 1 contexts", "main reads 2", "removed by drop", "main reads 4"]);
}

#[tokio::test]
async fn a_recording_is_replayed_turn_by_turn_even_without_an_answer() {
    let call = Message::of(Role::Assistant, vec![Block::ToolUse(ToolCall::new("1", "lookup", json!({})))]);
    let result = hook_sdk::data::ToolResult::new("found").into_block(&ToolCall::new("1", "lookup", json!({})));
    let messages = vec![
        Message::new(Role::Assistant, "Good morning."),
        Message::new(Role::User, "nobody answers this"),
        Message::new(Role::User, "look"),
        call,
        Message::of(Role::Tool, vec![result]),
        Message::new(Role::Assistant, "here"),
    ];
    let recording = Recording::of(&messages.into());
    let harness =
        Harness::builder(Registry::empty()).model("main", recording.model()).tools(recording.tools()).build().unwrap();
    let session = harness.session("c", AgentDef::new("a")).open().await.unwrap();
    let mut rows = Vec::new();
    for prompt in recording.prompts() {
        rows.push(session.turn(None, prompt).await.messages.iter().map(line).collect::<Vec<_>>());
    }
    assert_eq!(rows[0], ["user: nobody answers this"]);
    assert_eq!(rows[1], ["user: look", "assistant: -> lookup({})", "tool: <- found", "assistant: here"]);
}
