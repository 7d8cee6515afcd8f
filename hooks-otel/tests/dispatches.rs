//! Spans of dispatches and of runs that end after them.

use std::time::{Duration, SystemTime};

use hook_sdk::data::Role;
use hook_sdk::kinds::{AfterCreateMessage, AfterToolCallSuccess, BeforeToolCall, StreamDelta};
use hook_sdk::prelude::*;
use hook_sdk::worker::Worker;
use opentelemetry::trace::{SpanKind, Status, TraceContextExt, Tracer, TracerProvider};
use opentelemetry::{Context, context::FutureExt as _};
use serde_json::json;

use crate::collector::{Collector, attributes};

#[hook(id = "denies", kind = before_tool_call, tool = "pay")]
fn denies(_input: &ToolInput) -> Permission {
    Permission::deny("my card is 4111 1111 1111 1111")
}

#[hook(id = "looks", kind = before_tool_call)]
fn looks(_input: &ToolInput) {}

#[hook(id = "rewrites", kind = before_tool_call, tool = "find")]
fn rewrites(input: &mut ToolInput) {
    *input = ToolInput::from(json!({ "text": "new" }));
}

#[hook(id = "fails", kind = before_tool_call, tool = "mail")]
fn fails(_input: &ToolInput) -> Result<(), std::io::Error> {
    Err(std::io::Error::other("no server, password=hunter2hunter2"))
}

#[hook(id = "later", kind = after_create_message, run = background, idempotent)]
async fn later(_event: &AfterCreateMessage) -> Result<(), std::io::Error> {
    Err(std::io::Error::other("no index"))
}

pub(crate) fn registry() -> Registry {
    Registry::empty().with(hooks![denies, looks, rewrites, fails, later]).unwrap()
}

pub(crate) fn context() -> HookContext {
    HookContext::builder().conversation("c-1").agent("clerk").request("r-1").build()
}

/// Fires `before_tool_call` for a tool, within the span `outer`.
pub(crate) async fn call(collector: &Collector, hooks: &HookSet, tool: &str) {
    let outer = collector.tracers.tracer("app").start("outer");
    let call = ToolCall::new("call_1", tool, json!({ "text": "old" }));
    let input = call.input.clone();
    let cx = context();
    let event = BeforeToolCall::new(call);
    let _ = hooks.fire(&cx, &event, input).with_context(Context::current().with_span(outer)).await.unwrap();
}

pub(crate) fn observed(collector: &Collector) -> (Registry, HookSet) {
    let registry = registry();
    registry.observe(collector.telemetry());
    let agent = AgentDef::new("clerk").hooks(hooks![denies, looks, rewrites, fails]);
    let hooks = registry.scope(&agent, None).unwrap();
    (registry, hooks)
}

#[tokio::test]
async fn a_dispatch_is_a_span_in_the_current_one_with_a_child_for_each_hook_that_did_something() {
    let collector = Collector::new();
    let (_registry, hooks) = observed(&collector);
    let before = SystemTime::now();
    call(&collector, &hooks, "pay").await;
    let (outer, dispatch) = (collector.span("outer"), collector.span("hook before_tool_call"));
    let child = collector.span("run_guardrail denies");
    assert_eq!(collector.spans().len(), 3, "a silent hook is a number");
    assert_eq!(dispatch.parent_span_id, outer.span_context.span_id());
    assert_eq!(child.parent_span_id, dispatch.span_context.span_id());
    for span in [&dispatch, &child] {
        assert_eq!(span.span_context.trace_id(), outer.span_context.trace_id());
        assert_eq!(span.span_kind, SpanKind::Internal);
        assert_eq!(span.status, Status::Unset, "a denial is no error");
        assert!(before <= span.start_time && span.start_time <= span.end_time && span.end_time <= SystemTime::now());
    }
    assert!(dispatch.start_time <= child.start_time && child.end_time <= dispatch.end_time);
    let scope = &dispatch.instrumentation_scope;
    assert_eq!((scope.name(), scope.version()), ("hooks-otel", Some("0.1.0")));
    assert!(!format!("{:?}", collector.spans()).contains("4111"), "a reason is a payload");
}

#[tokio::test]
async fn a_failure_is_an_error_of_its_span_without_its_text() {
    let collector = Collector::new();
    let (_registry, hooks) = observed(&collector);
    call(&collector, &hooks, "mail").await;
    let span = collector.span("run_guardrail fails");
    assert_eq!(span.status, Status::error("failed"));
    let told = attributes(&span);
    assert_eq!(told.get("hook.failure"), None, "an error may quote a payload");
    assert_eq!(told["gen_ai.guardrail.action.type"], "block", "a failing gate denies");
    assert!(!told.contains_key("gen_ai.guardrail.verdict.type"), "it said nothing");
}

#[tokio::test]
async fn texts_of_errors_are_an_option_and_have_no_secrets() {
    let collector = Collector::new();
    let registry = registry();
    registry.observe(collector.telemetry().failures(true));
    let hooks = registry.scope(&AgentDef::new("clerk").hooks(["fails"]), None).unwrap();
    call(&collector, &hooks, "mail").await;
    let told = attributes(&collector.span("run_guardrail fails"));
    assert!(told["hook.failure"].contains("no server") && !told["hook.failure"].contains("hunter2"), "{told:?}");
}

#[tokio::test]
async fn a_hook_that_removes_the_subject_has_a_span() {
    let collector = Collector::new();
    let registry = Registry::empty();
    registry.observe(collector.telemetry());
    let hooks = [
        Hook::at::<AfterToolCallSuccess>("reads").reader(|_, _, _| ()).priority(1),
        Hook::at::<AfterToolCallSuccess>("masks").writer(|_, _, result: &mut ToolResult| {
            result.rewrite_text(|_| Some("masked".to_owned()));
        }),
        Hook::at::<AfterToolCallSuccess>("removes").replacer(|_, _, _: ToolResult| None::<ToolResult>).priority(2),
        Hook::at::<AfterToolCallSuccess>("late").reader(|_, _, _| ()).priority(3),
    ];
    for hook in hooks {
        registry.register(hook).unwrap();
    }
    let list = AgentDef::new("clerk").hooks(["reads", "masks", "removes", "late"]);
    let call = ToolCall::new("call_1", "find", json!({}));
    let event = AfterToolCallSuccess::new(call.clone(), call.input);
    let hooks = registry.scope(&list, None).unwrap();
    let fired = hooks.fire(&context(), &event, ToolResult::new("text")).await.unwrap();
    assert!(fired.subject.is_none());
    let dispatch = attributes(&collector.span("hook after_tool_call_success"));
    let counts = ["hook.runs", "hook.silent", "hook.removed"].map(|name| &*dispatch[name]);
    assert_eq!((counts, collector.spans().len()), (["3", "1", "true"], 3));
    assert_eq!(attributes(&collector.span("hook removes"))["hook.changed"], "true");
}

/// A time limit drops the dispatch outside of its context, and so does the end of a task.
#[tokio::test(start_paused = true)]
async fn a_dropped_dispatch_is_in_the_span_in_which_it_began() {
    for is_aborted in [false, true] {
        let collector = Collector::new();
        let registry = Registry::empty();
        registry.observe(collector.telemetry());
        let waits =
            Hook::at::<BeforeToolCall>("waits").async_reader(|_, _, _| Box::pin(std::future::pending::<Permission>()));
        registry.register(waits).unwrap();
        let hooks = registry.scope(&AgentDef::new("clerk").hooks(["waits"]), None).unwrap();
        let within = Context::current().with_span(collector.tracers.tracer("app").start("outer"));
        let fire = async move {
            let event = BeforeToolCall::new(ToolCall::new("call_1", "find", json!({})));
            drop(hooks.fire(&context(), &event, ToolInput::default()).await);
        };
        let (fire, second) = (fire.with_context(within.clone()), Duration::from_secs(1));
        if is_aborted {
            let task = tokio::spawn(fire);
            tokio::time::sleep(second).await;
            task.abort();
            assert!(task.await.unwrap_err().is_cancelled());
        } else {
            tokio::time::timeout(second, fire).await.unwrap_err();
        }
        let dispatch = collector.span("hook before_tool_call");
        assert_eq!(dispatch.parent_span_id, within.span().span_context().span_id(), "aborted: {is_aborted}");
        assert_eq!(dispatch.span_context.trace_id(), within.span().span_context().trace_id());
        assert_eq!(attributes(&dispatch)["hook.dropped"], "true");
    }
}

#[tokio::test]
async fn a_background_run_has_a_link_to_the_dispatch_that_queued_it() {
    let collector = Collector::new();
    let registry = registry();
    registry.observe(collector.telemetry());
    Worker::new().queue(8).start(&registry).unwrap();
    let hooks = registry.scope(&AgentDef::new("clerk").hooks(["later"]), None).unwrap();
    let event = AfterCreateMessage::new(Message::new(Role::User, "hello"));
    let _ = hooks.fire(&context(), &event, ()).await.unwrap();
    registry.drain(Duration::from_secs(5)).await;
    let (dispatch, run) = (collector.span("hook after_create_message"), collector.span("hook later"));
    assert_eq!(run.links[0].span_context.span_id(), dispatch.span_context.span_id());
    assert_ne!(run.span_context.trace_id(), dispatch.span_context.trace_id(), "it may run much later, elsewhere");
    assert_eq!((run.span_kind.clone(), run.status.clone()), (SpanKind::Consumer, Status::error("failed")));
    let told = attributes(&run);
    for (name, value) in [("hook.run", "background"), ("hook.attempt", "1"), ("hook.again", "false")] {
        assert_eq!(told[name], value, "{name}");
    }
}

#[tokio::test]
async fn thousands_of_detached_runs_at_once_have_their_links() {
    const RUNS: usize = 3_000;
    let collector = Collector::new();
    let registry = Registry::empty();
    registry.observe(collector.telemetry());
    registry.set_detached_limit(RUNS);
    launch(&registry, RUNS).await;
    registry.drain(Duration::from_secs(60)).await;
    let runs: Vec<_> = collector.spans().into_iter().filter(|span| span.name == "hook detached").collect();
    assert_eq!((runs.len(), runs.iter().filter(|run| run.links.len() == 1).count()), (RUNS, RUNS));
}

/// Starts so many detached runs, each of another conversation. None ends before all have started.
pub(crate) async fn launch(registry: &Registry, runs: usize) {
    let hook = Hook::at::<AfterCreateMessage>("detached").detached(|_, _, ()| Box::pin(async {}));
    registry.register(hook).unwrap();
    let hooks = registry.scope(&AgentDef::new("clerk").hooks(["detached"]), None).unwrap();
    let event = AfterCreateMessage::new(Message::new(Role::User, "hello"));
    for i in 0..runs {
        let cx = HookContext::builder().conversation(format!("d-{i}")).build();
        let _ = hooks.fire(&cx, &event, ()).await.unwrap();
    }
}

#[tokio::test]
async fn without_a_selected_hook_there_is_no_span() {
    let collector = Collector::new();
    let registry = registry();
    registry.observe(collector.telemetry());
    let hooks = registry.scope(&AgentDef::new("clerk").hooks(["denies"]), None).unwrap();
    call(&collector, &hooks, "other").await;
    assert_eq!(collector.spans().len(), 1, "the outer one alone");
}

#[tokio::test]
async fn a_piece_of_a_stream_is_a_span_only_if_a_hook_stops_the_stream() {
    let collector = Collector::new();
    let registry = Registry::empty();
    registry.observe(collector.telemetry());
    let masks = |_: &HookContext, _: &StreamDelta, text: &mut String| {
        text.push('.');
        if text.contains("stop") { Permission::deny("enough") } else { ().into() }
    };
    registry.register(Hook::at::<StreamDelta>("masks").writer(masks)).unwrap();
    let hooks = registry.scope(&AgentDef::new("clerk").hooks(["masks"]), None).unwrap();
    for (piece, spans) in [("a", 0), ("b", 0), ("stop", 2)] {
        let _ = hooks.fire(&context(), &StreamDelta::new("text"), piece.to_owned()).await.unwrap();
        assert_eq!(collector.spans().len(), spans, "{piece}");
    }
}
