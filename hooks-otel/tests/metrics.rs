//! Metrics by their names and attributes.

use std::collections::BTreeMap;

use hook_sdk::hook::HookMode;
use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::prelude::*;

use crate::collector::Collector;
use crate::dispatches::{call, observed};
use crate::turns::conversation;

fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[tokio::test]
async fn dispatches_decisions_and_failures_are_counted_and_timed() {
    let collector = Collector::new();
    let (_registry, hooks) = observed(&collector);
    for tool in ["pay", "pay", "mail", "other"] {
        call(&collector, &hooks, tool).await;
    }
    let points = collector.points();
    let kind = ("hook.kind", "before_tool_call");
    let mut dispatches = points["hook.dispatch.duration [s]"].clone();
    dispatches.sort();
    assert_eq!(dispatches, [(map(&[kind]), 1), (map(&[kind, ("hook.verdict", "deny")]), 3)]);
    let denied = map(&[kind, ("hook.id", "denies"), ("hook.verdict", "deny")]);
    assert_eq!(points["hook.decisions [{decision}]"], [(denied, 2)]);
    let failed = map(&[kind, ("hook.id", "fails"), ("error.type", "failed")]);
    assert_eq!(points["hook.failures [{failure}]"], [(failed, 1)]);
}

#[tokio::test]
async fn a_decision_in_shadow_mode_is_told_apart() {
    let collector = Collector::new();
    let registry = Registry::empty();
    registry.observe(collector.telemetry());
    let denies = |_: &HookContext, _: &BeforeToolCall, _: &ToolInput| Permission::deny("no");
    registry.register(Hook::at::<BeforeToolCall>("tried").reader(denies).mode(HookMode::Shadow)).unwrap();
    let fails = |_: &HookContext, _: &BeforeToolCall, _: &ToolInput| Err::<Permission, _>(std::io::Error::other("no"));
    registry.register(Hook::at::<BeforeToolCall>("broken").reader(fails).mode(HookMode::Shadow)).unwrap();
    let hooks = registry.scope(&AgentDef::new("clerk").hooks(["tried", "broken"]), None).unwrap();
    call(&collector, &hooks, "find").await;
    let points = collector.points();
    let shadow = [("hook.kind", "before_tool_call"), ("hook.note", "shadow")];
    let with = |more: [(&'static str, &'static str); 2]| map(&[shadow, more].concat());
    assert_eq!(points["hook.decisions [{decision}]"], [(with([("hook.id", "tried"), ("hook.verdict", "deny")]), 1)]);
    assert_eq!(points["hook.failures [{failure}]"], [(with([("hook.id", "broken"), ("error.type", "failed")]), 1)]);
}

#[tokio::test]
async fn histograms_have_the_bounds_of_the_conventions() {
    let collector = Collector::new();
    conversation(&collector).await;
    let doubled = |first: f64, number: i32| (0..number).map(|i| first * 2_f64.powi(i)).collect::<Vec<_>>();
    for (metric, expected) in [
        ("gen_ai.client.operation.duration", doubled(0.01, 14)),
        ("gen_ai.execute_tool.duration", doubled(0.01, 14)),
        ("gen_ai.invoke_agent.duration", doubled(0.1, 13)),
        ("gen_ai.client.token.usage", (0..14).map(|i| 4_f64.powi(i)).collect()),
    ] {
        assert_eq!(collector.bounds(metric), expected, "{metric}");
    }
}

#[tokio::test]
async fn turns_calls_tokens_and_tools_have_the_metrics_of_the_conventions() {
    let collector = Collector::new();
    conversation(&collector).await;
    has_metrics(&collector);
    let collector = Collector::without_tracers();
    conversation(&collector).await;
    has_metrics(&collector);
    assert!(collector.spans().iter().all(|span| span.name == "request" && span.attributes.is_empty()));
}

fn has_metrics(collector: &Collector) {
    let points = collector.points();
    let chat = [
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.provider.name", "anthropic"),
        ("gen_ai.request.model", "claude-sonnet-5"),
        ("gen_ai.response.model", "claude-sonnet-5-20260901"),
    ];
    assert_eq!(points["gen_ai.client.operation.duration [s]"], [(map(&chat), 2)]);
    let mut tokens = points["gen_ai.client.token.usage [{token}]"].clone();
    tokens.sort();
    let with = |direction| map(&[&chat[..], &[("gen_ai.token.type", direction)]].concat());
    assert_eq!(tokens, [(with("input"), 30), (with("output"), 12)]);
    let turn = map(&[("gen_ai.operation.name", "invoke_agent"), ("gen_ai.agent.name", "clerk")]);
    assert_eq!(points["gen_ai.invoke_agent.duration [s]"], [(turn, 1)]);
    let tool = map(&[("gen_ai.operation.name", "execute_tool"), ("gen_ai.tool.name", "search")]);
    assert_eq!(points["gen_ai.execute_tool.duration [s]"], [(tool, 1)]);
}
