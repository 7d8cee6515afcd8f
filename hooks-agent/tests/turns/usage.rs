//! Token usage of model calls: for hooks, in events, and in the reply.

use hook_sdk::data::{Block, Usage};
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_agent::model::{Line, ModelAnswer};
use hooks_agent::store::{Append, MessageStore};
use hooks_agent::window::Window;
use hooks_agent::{SubAgent, TurnEvent};
use serde_json::json;

use super::bench::{Bench, turn_with_events};

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
