//! Other features of the harness: provider fields, messages between turns, events, recordings of turns, unusual answers,
//! token usage.

use hook_sdk::data::{Block, Role, ToolCall, Usage};
use hook_sdk::kinds::ExitReason;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hook_sdk::verdict::PromptVerdict;
use hooks_agent::model::{Line, ModelAnswer, Recording};
use hooks_agent::store::{Append, MessageStore};
use hooks_agent::window::Window;
use hooks_agent::{Harness, Outcome, SubAgent, TurnEvent};
use serde_json::json;

use super::bench::{Bench, line, turn_with_events};

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

fn says(text: &str, usage: Usage) -> Line {
    Line::answer(ModelAnswer::text(text).usage(usage))
}

/// Each reported call, as tokens read and written.
fn calls(events: &[TurnEvent]) -> Vec<Option<(u64, u64)>> {
    let call = |event: &TurnEvent| match event {
        TurnEvent::ModelAnswered { usage, .. } => Some(usage.map(|usage| (usage.input, usage.output))),
        _ => None,
    };
    events.iter().filter_map(call).collect()
}

#[tokio::test]
async fn usage_is_reported_to_hooks_the_app_and_the_reply_if_the_provider_reports_it() {
    let asks = Block::ToolUse(ToolCall::new("1", "lookup", json!({})));
    let asks = ModelAnswer::new(vec![asks]).usage(Usage::new(100, 10).cache_read(80).cache_write(20));
    let mut bench =
        Bench::new([Line::answer(asks), Line::call("2", "lookup", json!({})), says("done", Usage::new(150, 5))]);
    let log = bench.log.clone();
    bench.app(Hook::at::<PostModelCall>("count").reader(move |_, event: &PostModelCall, _| {
        log.note(event.usage.map_or("not reported".to_owned(), |usage| format!("{} tokens", usage.total())));
    }));
    let (reply, events) = turn_with_events(&bench.session(bench.harness()).await, "hi").await;
    assert_eq!(calls(&events), [Some((100, 10)), None, Some((150, 5))]);
    assert_eq!(reply.usage, Usage::new(250, 15).cache_read(80).cache_write(20));
    let noted: Vec<_> = bench
        .log
        .take()
        .into_iter()
        .filter(|noted| ["token", "tool", "reported"].iter().any(|word| noted.contains(word)))
        .collect();
    assert_eq!(noted, ["110 tokens", "the tool", "not reported", "the tool", "155 tokens"]);
}

#[tokio::test]
async fn usage_includes_summaries_and_sub_agents() {
    let ask = Line::call("1", "research", json!({ "prompt": "what is it?" }));
    let bench = Bench::new([
        says("summary", Usage::new(1, 0)),
        ask,
        says("a bird", Usage::new(20, 0)),
        says("a bird, I hear", Usage::new(300, 0)),
    ]);
    let old =
        |i: usize| Message::new([Role::User, Role::Assistant][i % 2], "word ".repeat(if i == 0 { 400 } else { 1 }));
    bench.store.append("c", Append::new((0..8).map(old))).await.unwrap();
    let research = SubAgent::new(AgentDef::new("research"), "Looks things up.");
    let window = Window::new(1_000).compact_at(400);
    let reply = bench.session(bench.harness().agent(research).window(window)).await.turn(None, "hi").await;
    assert_eq!((reply.to_string().as_str(), reply.usage.input), ("a bird, I hear", 321));
}
