//! Turns, model calls, tools and sub-agents: one trace.

use std::sync::Mutex;

use hook_sdk::data::{Block, Usage};
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::prelude::*;
use hook_sdk::protocol::Approval;
use hooks_agent::approve::{ApprovalRequest, Approver};
use hooks_agent::model::{Deltas, Model, ModelAnswer, ModelCall, ModelError};
use hooks_agent::store::StoreFuture;
use hooks_agent::tool::{AsyncTool, FnTool, ToolError, ToolSpec};
use hooks_agent::{Harness, HarnessBuilder, Limits, Outcome, SubAgent};
use opentelemetry::trace::{SpanKind, Status, TraceContextExt, Tracer, TracerProvider};
use opentelemetry::{Context, context::FutureExt as _};
use serde_json::json;

use crate::collector::{Collector, attributes};
use crate::dispatches::launch;

/// Calls the tool of its prompt, and then answers.
struct Caller;

impl Model for Caller {
    fn call<'a>(&'a self, call: &'a ModelCall, _deltas: Deltas<'a>) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move {
            let last = call.messages.last().unwrap();
            let text = last.text().into_owned();
            if text == "down" {
                return Err(ModelError::Rejected("the key sk-1 is wrong".to_owned()));
            }
            let has_called = last.content.iter().any(|block| matches!(block, Block::ToolResult(_)));
            let answer = if has_called || text == "sub" {
                ModelAnswer::text("done").usage(Usage::new(20, 7).cache_read(20))
            } else {
                let call = ToolCall::new("call-1", text.as_str(), json!({ "prompt": "sub", "q": "secret" }));
                ModelAnswer::new(vec![Block::ToolUse(call)]).usage(Usage::new(10, 5))
            };
            Ok(answer.model("claude-sonnet-5-20260901"))
        })
    }
}

/// Nobody answers at first.
#[derive(Default)]
struct Late(Mutex<Option<ApprovalRequest>>);

impl Approver for Late {
    fn approve<'a>(&'a self, request: &'a ApprovalRequest) -> StoreFuture<'a, Approval> {
        let asked = self.0.lock().unwrap().replace(request.clone());
        Box::pin(async move { Ok(if asked.is_some() { Approval::Yes } else { Approval::Suspend }) })
    }

    fn held<'a>(&'a self, _conversation: &'a str, _call: &'a str) -> StoreFuture<'a, Option<ApprovalRequest>> {
        let held = self.0.lock().unwrap().clone();
        Box::pin(async move { Ok(held) })
    }
}

pub(crate) fn builder(collector: &Collector) -> (Registry, HarnessBuilder) {
    let registry = Registry::empty();
    let asks = |_: &HookContext, event: &BeforeToolCall, _: &ToolInput| {
        if event.call.name == "pay" { Permission::ask("it costs money") } else { ().into() }
    };
    registry.register(Hook::at::<BeforeToolCall>("asks").reader(asks)).unwrap();
    let telemetry = collector.telemetry();
    registry.observe(telemetry.clone());
    let found = FnTool::new(ToolSpec::new("search").description("Searches."), |_, _| {
        // What a tool does itself is in its span.
        assert!(Context::current().has_active_span());
        Ok("found".to_owned())
    });
    let fails = FnTool::new(ToolSpec::new("fails"), |_, _| Err(ToolError::new("no disk")));
    let pay = FnTool::new(ToolSpec::new("pay"), |_, _| Ok("paid".to_owned()));
    let harness = Harness::builder(registry.clone())
        .around_turns(telemetry.turns())
        .model("main", telemetry.model("claude-sonnet-5", Caller))
        .tool(telemetry.tool(found))
        .tool(telemetry.tool(fails))
        .tool(telemetry.tool(pay))
        .agent(SubAgent::new(AgentDef::new("helper"), "Helps."))
        .approver(Late::default());
    (registry, harness)
}

/// One turn that calls the tool `search`.
pub(crate) async fn conversation(collector: &Collector) {
    turns(collector, &["search"]).await;
}

/// The turns of these prompts, within the span of a request.
async fn turns(collector: &Collector, prompts: &[&str]) -> Vec<Outcome> {
    let outer = Context::current().with_span(collector.tracers.tracer("app").start("request"));
    turns_of(&builder(collector).1.build().unwrap(), prompts).with_context(outer).await
}

/// The turns of these prompts in one conversation. `resume` continues a turn that waits.
pub(crate) async fn turns_of(harness: &Harness, prompts: &[&str]) -> Vec<Outcome> {
    let session = harness.session("c-1", AgentDef::new("clerk").hooks(["asks"])).open().await.unwrap();
    let mut outcomes = Vec::new();
    for prompt in prompts {
        let turn = if *prompt == "resume" { session.resume(None) } else { session.turn(None, *prompt) };
        outcomes.push(turn.await.outcome);
    }
    outcomes
}

#[tokio::test]
async fn a_turn_is_in_the_span_that_started_it_and_calls_and_dispatches_are_in_the_turn() {
    let collector = Collector::new();
    conversation(&collector).await;
    let (request, turn) = (collector.span("request"), collector.span("invoke_agent clerk"));
    assert_eq!(turn.parent_span_id, request.span_context.span_id());
    assert_eq!(attributes(&turn)["hook.turn.exit"], "no_tool_calls");
    for (name, kind) in [
        ("chat claude-sonnet-5", SpanKind::Client),
        ("execute_tool search", SpanKind::Internal),
        ("hook before_tool_call", SpanKind::Internal),
    ] {
        let span = collector.span(name);
        assert_eq!((span.parent_span_id, &span.span_kind), (turn.span_context.span_id(), &kind), "{name}");
        assert!(turn.start_time <= span.start_time && span.end_time <= turn.end_time, "{name}");
    }
    assert_eq!(collector.spans().iter().filter(|span| span.name.starts_with("chat")).count(), 2);
    let told = format!("{:?}", collector.spans());
    for payload in ["secret", "found", "done"] {
        assert!(!told.contains(payload), "`{payload}` is a payload");
    }
}

#[tokio::test]
async fn the_turn_of_a_sub_agent_is_in_the_turn_that_called_it() {
    let collector = Collector::new();
    turns(&collector, &["helper"]).await;
    let (turn, sub) = (collector.span("invoke_agent clerk"), collector.span("invoke_agent helper"));
    assert_eq!(sub.parent_span_id, turn.span_context.span_id());
    let within = collector.spans().into_iter().filter(|span| span.parent_span_id == sub.span_context.span_id());
    assert_eq!(within.map(|span| span.name).collect::<Vec<_>>(), ["chat claude-sonnet-5"]);
    assert_eq!(attributes(&sub)["gen_ai.conversation.id"], "c-1/call%2D1");
}

#[tokio::test]
async fn a_resumed_turn_has_a_link_to_the_one_that_asked() {
    let collector = Collector::new();
    let outcomes = turns(&collector, &["pay", "resume", "hello"]).await;
    assert!(
        matches!(outcomes[..], [Outcome::Suspended(_), Outcome::Answered(_), Outcome::Answered(_)]),
        "{outcomes:?}"
    );
    let turns: Vec<_> = collector.spans().into_iter().filter(|span| span.name == "invoke_agent clerk").collect();
    let [asked, resumed, later] = &turns[..] else { panic!("{turns:?}") };
    assert_eq!(resumed.links[0].span_context.span_id(), asked.span_context.span_id());
    assert!(asked.links.is_empty() && later.links.is_empty(), "only the turn that continues");
    let event = &asked.events[0];
    assert_eq!(event.name, "hook.question");
    let told = format!("{:?}", event.attributes);
    assert!(told.contains("hook.question.id") && told.contains("call-1") && !told.contains("money"), "{told}");
    let asks = attributes(&collector.span("run_guardrail asks"));
    let (verdict, action) = (&asks["gen_ai.guardrail.verdict.type"], &asks["gen_ai.guardrail.action.type"]);
    assert_eq!((&**verdict, &**action), ("escalate", "escalate"));
}

#[tokio::test]
async fn failures_of_models_and_tools_are_errors_without_their_texts() {
    let collector = Collector::new();
    turns(&collector, &["fails", "down"]).await;
    for (name, error) in
        [("execute_tool fails", "tool_error"), ("invoke_agent clerk", "model"), ("chat claude-sonnet-5", "rejected")]
    {
        let failed = collector.spans().into_iter().find(|span| span.name == name && span.status != Status::Unset);
        let span = failed.unwrap_or_else(|| panic!("no failed `{name}`"));
        assert_eq!((&span.status, &*attributes(&span)["error.type"]), (&Status::error(error), error), "{name}");
    }
    let told = format!("{:?}", collector.spans());
    assert!(!told.contains("sk-1") && !told.contains("no disk"), "a text of a provider or a tool is a payload");
}

/// The harness drops a call at its time limit, and contains a panic.
#[tokio::test(start_paused = true)]
async fn a_call_that_times_out_or_panics_is_an_error_with_a_duration() {
    async fn goes_wrong(panics: bool) {
        assert!(!panics, "on purpose");
        std::future::pending::<()>().await;
    }
    for (panics, error) in [(false, "dropped"), (true, "panicked")] {
        for is_tool in [true, false] {
            let (collector, registry) = (Collector::new(), Registry::empty());
            let telemetry = collector.telemetry();
            let tool = AsyncTool::new(ToolSpec::new("search"), move |_, _| async move {
                goes_wrong(panics).await;
                Ok::<_, ToolError>("found".to_owned())
            });
            let model = move |call: ModelCall| async move {
                if !is_tool {
                    goes_wrong(panics).await;
                }
                let answers = call.messages.len() > 1;
                let call = ToolCall::new("call_1", "search", json!({}));
                ModelAnswer::new(vec![if answers { Block::from("done") } else { Block::ToolUse(call) }])
            };
            let mut limits = Limits::default();
            limits.retries = 0;
            let harness = Harness::builder(registry)
                .around_turns(telemetry.turns())
                .model("main", telemetry.model("m", model))
                .tool(telemetry.tool(tool))
                .limits(limits)
                .unchecked("a test")
                .build()
                .unwrap();
            let session = harness.session("c-1", AgentDef::new("clerk")).open().await.unwrap();
            let _reply = session.turn(None, "hello").await;
            let (span, metric) = if is_tool {
                ("execute_tool search", "gen_ai.execute_tool.duration [s]")
            } else {
                ("chat m", "gen_ai.client.operation.duration [s]")
            };
            let failed = collector.span(span);
            assert_eq!((&failed.status, &*attributes(&failed)["error.type"]), (&Status::error(error), error), "{span}");
            let points = &collector.points()[metric];
            assert!(points.iter().any(|(of, _)| of.get("error.type").is_some_and(|of| of == error)), "{points:?}");
        }
    }
}

#[tokio::test]
async fn a_resumed_turn_has_its_link_after_thousands_of_detached_runs() {
    const RUNS: usize = 10_001;
    let collector = Collector::new();
    let (registry, builder) = builder(&collector);
    registry.set_detached_limit(RUNS);
    let harness = builder.build().unwrap();
    turns_of(&harness, &["pay"]).await;
    launch(&registry, RUNS).await;
    turns_of(&harness, &["resume"]).await;
    let turns: Vec<_> = collector.spans().into_iter().filter(|span| span.name == "invoke_agent clerk").collect();
    let [asked, resumed] = &turns[..] else { panic!("{turns:?}") };
    assert_eq!(resumed.links.len(), 1);
    assert_eq!(resumed.links[0].span_context.span_id(), asked.span_context.span_id());
}
