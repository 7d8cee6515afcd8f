//! Concurrent calls: gates, hooks and the store see those that run in order, whichever completes first.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hook_sdk::data::Block;
use hook_sdk::hook::BoxFuture;
use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use hooks_agent::model::{Line, Model, ModelAnswer, ModelCall, ModelError};
use hooks_agent::tool::{Tool, ToolError, ToolSpec};
use hooks_agent::{Limits, SubAgent, TurnEvent};
use serde_json::json;

use super::bench::Bench;

/// Takes as long as its call says.
struct Naps {
    spec: ToolSpec,
    now: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
}

impl Naps {
    fn new(spec: ToolSpec) -> Self {
        Self { spec, now: Arc::default(), most: Arc::default() }
    }
}

impl Tool for Naps {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn run<'a>(
        &'a self,
        _: &'a HookContext,
        call: &'a ToolCall,
        input: ToolInput,
    ) -> BoxFuture<'a, Result<ToolResult, ToolError>> {
        Box::pin(async move {
            let now = self.now.fetch_add(1, Ordering::Relaxed) + 1;
            self.most.fetch_max(now, Ordering::Relaxed);
            tokio::time::sleep(Duration::from_millis(input["ms"].as_u64().unwrap_or(0))).await;
            self.now.fetch_sub(1, Ordering::Relaxed);
            Ok(ToolResult::new(format!("slept {}", call.id)))
        })
    }
}

fn naps(ms: impl IntoIterator<Item = u64>) -> Line {
    Line::calls(ms.into_iter().enumerate().map(|(i, ms)| (i.to_string(), "nap", json!({ "ms": ms, "n": i }))))
}

fn parallel() -> ToolSpec {
    ToolSpec::new("nap").parallel()
}

/// What is visible of the calls: gates, hooks, stored messages.
fn watched(lines: impl IntoIterator<Item = Line>) -> Bench {
    let mut bench = Bench::new(lines);
    macro_rules! note {
        ($($kind:ident),*) => {$({
            let log = bench.log.clone();
            let id = <$kind as HookKind>::NAME;
            bench.app(Hook::at::<$kind>(&format!("at_{id}")).reader(move |_, event: &$kind, _| {
                log.note(format!("{id} {}", event.call.id));
            }));
        })*};
    }
    note!(BeforeToolCall, AfterToolCallSuccess, AfterToolCall, BeforeStoreToolResult);
    bench
}

async fn took(bench: &Bench, tool: impl Tool, limits: Limits) -> Duration {
    let session = bench.session(bench.harness().tool(tool).limits(limits)).await;
    let before = tokio::time::Instant::now();
    assert_eq!(session.turn(None, "hi").await.to_string(), "done");
    before.elapsed()
}

#[tokio::test(start_paused = true)]
async fn calls_run_concurrently_only_if_the_tool_is_parallel() {
    for (spec, seconds) in [(parallel(), 10), (ToolSpec::new("nap"), 80)] {
        let bench = watched([naps([10_000; 8]), Line::text("done")]);
        assert_eq!(took(&bench, Naps::new(spec), Limits::default()).await.as_secs(), seconds);
        let stored = bench.stored().await;
        assert_eq!(stored[2..10], (0..8).map(|i| format!("tool: <- slept {i}")).collect::<Vec<_>>());
    }
}

#[tokio::test(start_paused = true)]
async fn no_more_calls_than_the_limit_run_at_once() {
    let mut limits = Limits::default();
    limits.parallel = 3;
    let (bench, tool) = (watched([naps([1_000; 8]), Line::text("done")]), Naps::new(parallel()));
    let most = Arc::clone(&tool.most);
    assert_eq!(took(&bench, tool, limits).await.as_secs(), 3);
    assert_eq!(most.load(Ordering::Relaxed), 3);
}

#[tokio::test(start_paused = true)]
async fn the_sequence_does_not_depend_on_which_call_finishes_first() {
    let runs = std::env::var("HOOKS_AGENT_SHUFFLED").ok().and_then(|runs| runs.parse().ok()).unwrap_or(50_u64);
    let calls = |kind: &str, of: std::ops::Range<u32>| of.map(|i| format!("{kind} {i}")).collect::<Vec<_>>();
    let each = |i: u32| {
        ["after_tool_call_success", "after_tool_call", "before_store_tool_result"].map(|kind| format!("{kind} {i}"))
    };
    let mut expected = vec!["the model".to_owned()];
    expected.extend(calls("before_tool_call", 0..8));
    expected.extend((0..8).flat_map(each));
    expected.push("the model".to_owned());
    for run in 0..runs {
        // A permutation of the durations, different for each run.
        let times = (0..8_u64).map(|i| (i * 7 + run * 13 + run * run * i) % 41 * 10);
        let bench = watched([naps(times), Line::text("done")]);
        took(&bench, Naps::new(parallel()), Limits::default()).await;
        assert_eq!(bench.log.take(), expected, "run {run}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_sequential_call_runs_after_the_earlier_calls_and_before_the_later_ones() {
    let mix = Line::calls([
        ("0", "nap", json!({ "ms": 1_000 })),
        ("1", "nap", json!({ "ms": 1_000 })),
        ("2", "lookup", json!({ "id": "a" })),
        ("3", "nap", json!({ "ms": 1_000 })),
        ("4", "nap", json!({ "ms": 1_000 })),
    ]);
    let bench = watched([mix, Line::text("done")]);
    assert_eq!(took(&bench, Naps::new(parallel()), Limits::default()).await.as_secs(), 2);
    let log = bench.log.take();
    let at = |what: &str| log.iter().position(|noted| noted == what).unwrap();
    assert!(at("before_store_tool_result 1") < at("before_tool_call 2"), "{log:#?}");
    assert!(at("before_tool_call 2") < at("the tool") && at("the tool") < at("before_tool_call 3"), "{log:#?}");
    assert!(at("before_tool_call 4") < at("after_tool_call_success 3"), "{log:#?}");
}

#[tokio::test(start_paused = true)]
async fn a_halt_at_the_gate_of_one_call_prevents_all_parallel_calls() {
    let mut bench = watched([naps([1_000; 3]), Line::text("never")]);
    bench.app(Hook::at::<BeforeToolCall>("halts").reader(|_, event: &BeforeToolCall, _| {
        if event.call.id == "1" { Err(Halt::new("enough")) } else { Ok(Permission::NoOpinion) }
    }));
    let tool = Naps::new(parallel());
    let most = Arc::clone(&tool.most);
    let reply = bench.session(bench.harness().tool(tool)).await.turn(None, "hi").await;
    assert_eq!(reply.to_string(), "[Hook stopped] enough");
    assert_eq!(most.load(Ordering::Relaxed), 0);
    assert_eq!(bench.stored().await[2..], vec!["tool: <- Not run, the turn ended: enough".to_owned(); 3]);
}

#[tokio::test(start_paused = true)]
async fn calls_that_do_not_run_get_their_results_before_the_others_start() {
    let mut bench = watched([naps([10, 20, 10, 20]), Line::text("done")]);
    bench.app(Hook::at::<BeforeToolCall>("denies").reader(|_, event: &BeforeToolCall, _| {
        if ["1", "3"].contains(&event.call.id.as_str()) { Permission::deny("no") } else { Permission::NoOpinion }
    }));
    let session = bench.session(bench.harness().tool(Naps::new(parallel()))).await;
    let (_, events) = super::bench::turn_with_events(&session, "hi").await;
    let seen: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            TurnEvent::ToolStarted(call) => Some(format!("{} starts", call.id)),
            TurnEvent::ToolFinished { call, .. } => Some(format!("{} has a result", call.id)),
            _ => None,
        })
        .collect();
    let expected = ["1 has a result", "3 has a result", "0 starts", "2 starts", "0 has a result", "2 has a result"];
    assert_eq!(seen, expected);
    let slept = ["tool: <- Denied: no", "tool: <- Denied: no", "tool: <- slept 0", "tool: <- slept 2"];
    assert_eq!(bench.stored().await[2..6], slept);
}

/// Calls three agents concurrently, each of which takes a minute.
struct Manager;

impl Model for Manager {
    fn call<'a>(
        &'a self,
        call: &'a ModelCall,
        _: hooks_agent::model::Deltas<'a>,
    ) -> BoxFuture<'a, Result<ModelAnswer, ModelError>> {
        Box::pin(async move {
            if call.system_prompt == "Cite sources." {
                tokio::time::sleep(Duration::from_secs(60)).await;
                return Ok(ModelAnswer::text(format!("about {}", call.messages.last().unwrap().text())));
            }
            if call.messages.len() > 1 {
                return Ok(ModelAnswer::text("done"));
            }
            let ask = |(id, of): (usize, &str)| {
                Block::ToolUse(ToolCall::new(id.to_string(), "research", json!({ "prompt": of })))
            };
            Ok(ModelAnswer::new(["a", "b", "c"].into_iter().enumerate().map(ask).collect()))
        })
    }
}

#[tokio::test(start_paused = true)]
async fn sub_agents_run_concurrently_and_their_events_name_their_call() {
    let bench = Bench::new([]);
    let research = SubAgent::new(AgentDef::new("research"), "Looks things up.").system_prompt("Cite sources.");
    let session = bench.session(bench.harness().model("main", Manager).agent(research)).await;
    let before = tokio::time::Instant::now();
    let (reply, events) = super::bench::turn_with_events(&session, "hi").await;
    assert_eq!((reply.to_string().as_str(), before.elapsed().as_secs()), ("done", 60));
    assert_eq!(bench.stored().await[2..5], ["tool: <- about a", "tool: <- about b", "tool: <- about c"]);
    let mut within: HashMap<String, usize> = HashMap::new();
    for event in &events {
        if let TurnEvent::Within { call, .. } = event {
            *within.entry(call.clone()).or_default() += 1;
        }
    }
    assert_eq!(within.len(), 3, "{within:?}");
    assert!(within.values().all(|events| *events == within["0"]), "{within:?}");
}
