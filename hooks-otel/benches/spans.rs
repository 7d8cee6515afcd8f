//! What a span per dispatch costs: a dispatch with [`Telemetry`] over the same dispatch with a span written by hand, on the SDK
//! without an exporter.
//!
//! `cargo bench -p hooks-otel`
#![allow(clippy::expect_used, clippy::print_stdout, clippy::unwrap_used, reason = "a benchmark prints")]

use std::hint::black_box;
use std::time::{Instant, SystemTime};

use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::prelude::*;
use hook_sdk::record::{Observer, Record};
use hooks_otel::Telemetry;
use opentelemetry::trace::{Span, TraceContextExt, Tracer, TracerProvider};
use opentelemetry::{KeyValue, global};
use opentelemetry_sdk::trace::SdkTracerProvider;
use serde_json::json;

const ROUNDS: usize = 61;
const CALLS: u32 = 2_000;

/// Gates without opinion, and one that decides.
fn registry(decides: bool) -> (Registry, AgentDef) {
    let registry = Registry::empty();
    let ids: Vec<String> = (0..8).map(|i| format!("gate_{i}")).collect();
    for (i, id) in ids.iter().enumerate() {
        let gate = move |_: &HookContext, _: &BeforeToolCall, _: &ToolInput| {
            if decides && i == 7 { Permission::Allow } else { ().into() }
        };
        registry.register(Hook::at::<BeforeToolCall>(id).reader(gate)).unwrap();
    }
    (registry, AgentDef::new("support").hooks(ids))
}

/// A span per dispatch, and one for each hook that decided, as somebody would write them.
struct ByHand(global::BoxedTracer);

impl Observer for ByHand {
    fn dispatched(&self, record: &Record) {
        let end = SystemTime::now();
        let start = end - record.duration;
        let id = |name, id: &Option<std::sync::Arc<str>>| id.clone().map(|id| KeyValue::new(name, id));
        let ids = || {
            let conversation = id("gen_ai.conversation.id", &record.ids.conversation);
            conversation.into_iter().chain(id("gen_ai.agent.name", &record.ids.agent))
        };
        let mut attributes = vec![
            KeyValue::new("hook.kind", record.kind),
            KeyValue::new("hook.runs", i64::try_from(record.runs.len()).unwrap()),
        ];
        attributes.extend(record.verdict.map(|verdict| KeyValue::new("hook.verdict", verdict)));
        attributes.extend(ids());
        let span = self.0.span_builder(format!("hook {}", record.kind)).with_start_time(start);
        let mut span = span.with_attributes(attributes).start(&self.0);
        for run in record.runs.iter().filter(|run| run.verdict.is_some()) {
            let mut attributes = vec![
                KeyValue::new("hook.kind", record.kind),
                KeyValue::new("hook.id", run.hook.to_string()),
                KeyValue::new("hook.status", run.status.to_string()),
                KeyValue::new("hook.changed", run.changed),
                KeyValue::new("hook.verdict", run.verdict.unwrap_or_default()),
            ];
            attributes.extend(ids());
            let within = opentelemetry::Context::current().with_remote_span_context(span.span_context().clone());
            let child = self.0.span_builder(format!("run_guardrail {}", run.hook)).with_start_time(start);
            child.with_attributes(attributes).start_with_context(&self.0, &within).end_with_timestamp(end);
        }
        span.end_with_timestamp(end);
    }
}

fn dispatch(decides: bool, observer: impl Observer) -> impl FnMut() {
    let (registry, agent) = registry(decides);
    registry.observe(observer);
    let hooks = registry.scope(&agent, None).unwrap();
    let cx = HookContext::builder().conversation("c-1").agent("support").build();
    let call = ToolCall::new("call_1", "search", json!({ "q": "x" }));
    let event = BeforeToolCall::new(call);
    move || drop(black_box(hooks.fire_blocking(&cx, &event, event.call.input.clone()).unwrap()))
}

/// Nanoseconds per call.
fn batch(call: &mut impl FnMut()) -> f64 {
    let start = Instant::now();
    (0..CALLS).for_each(|_| call());
    start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS)
}

fn allocations(call: &mut impl FnMut()) -> u64 {
    call();
    allocation_counter::measure(call).count_total
}

fn row(what: &str, mut ours: impl FnMut(), mut floor: impl FnMut(), budget: &str) {
    let counts = (allocations(&mut ours), allocations(&mut floor));
    let mut pairs: Vec<_> = (0..ROUNDS).map(|_| (batch(&mut ours), batch(&mut floor))).collect();
    let mut median = |of: &dyn Fn(&(f64, f64)) -> f64| {
        pairs.sort_by(|a, b| of(a).total_cmp(&of(b)));
        of(&pairs[ROUNDS / 2])
    };
    let (mine, theirs, ratio) = (median(&|pair| pair.0), median(&|pair| pair.1), median(&|pair| pair.0 / pair.1));
    println!("| {what} | {mine:.0} ns | {theirs:.0} ns | {ratio:.2}x | {budget} | {} / {} |", counts.0, counts.1);
}

struct Nothing;

impl Observer for Nothing {
    fn dispatched(&self, _record: &Record) {}
}

fn main() {
    println!("| What | ours | floor | ratio | budget | allocations |\n|---|---|---|---|---|---|");
    // First, because later rows set the global provider.
    let telemetry = Telemetry::global();
    let ours = dispatch(true, telemetry);
    row("8 gates, one decides, no provider, floor: an observer that does nothing", ours, dispatch(true, Nothing), "");
    let provider = SdkTracerProvider::builder().build();
    let meters = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build();
    for (decides, what) in [(false, "8 silent gates"), (true, "8 gates, one decides")] {
        let by_hand = ByHand(global::BoxedTracer::new(Box::new(provider.tracer("by hand"))));
        let ours = dispatch(decides, Telemetry::new(&provider, &meters));
        row(&format!("{what}, a span, floor: by hand"), ours, dispatch(decides, by_hand), "1.30x");
    }
}
