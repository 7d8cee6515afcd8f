//! A cache in front of a tool, and a retry if the tool fails: two verdicts instead of a wrapper.
//!
//! `cargo run -p cookbook --bin cache_and_retry`

#![allow(clippy::print_stdout, reason = "a program that shows what it does")]

// ANCHOR: hooks
use std::collections::HashMap;
use std::error::Error;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hook_sdk::kinds::{AfterToolCallFailure, AfterToolCallSuccess};
use hook_sdk::prelude::*;
use hooks_agent::model::{Line, Scripted};
use hooks_agent::tool::{FnTool, ToolError, ToolSpec};
use hooks_agent::{Harness, TurnEvent};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Forecast {
    city: String,
}

/// Results by city.
#[derive(Default)]
struct Cache(Mutex<HashMap<String, ToolResult>>);

/// Answers from the cache. The tool does not run, and hooks at `after_tool_call_success` see the cached result.
#[hook(id = "read_cache", kind = before_tool_call, tool = "forecast")]
fn read_cache(cx: &HookContext, input: &ToolInput) -> Result<Permission, MissingState> {
    let cache = cx.state::<Cache>()?.0.lock().unwrap_or_else(PoisonError::into_inner);
    // An input that does not parse has no entry: the tool reports what is wrong with it.
    let known = input.read::<Forecast>().ok().and_then(|forecast| cache.get(&forecast.city).cloned());
    Ok(known.map_or(Permission::NoOpinion, Permission::answer))
}

/// Stores what the tool returned, under the input that it ran with.
#[hook(id = "fill_cache", kind = after_tool_call_success, tool = "forecast")]
fn fill_cache(cx: &HookContext, event: &AfterToolCallSuccess, result: &ToolResult) -> Result<(), MissingState> {
    if let Ok(forecast) = event.input.read::<Forecast>() {
        let mut cache = cx.state::<Cache>()?.0.lock().unwrap_or_else(PoisonError::into_inner);
        cache.insert(forecast.city, result.clone());
    }
    Ok(())
}

/// Retries a service that is busy. Only a tool that declares itself idempotent runs again.
#[hook(id = "retry_busy", kind = after_tool_call_failure, tool = "forecast")]
fn retry_busy(event: &AfterToolCallFailure) -> Retry {
    if event.may_retry && event.error.contains("busy") {
        Retry::After(Duration::from_millis(50) * event.attempt)
    } else {
        Retry::NoOpinion
    }
}
// ANCHOR_END: hooks

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let runs = AtomicU32::new(0);
    let spec = ToolSpec::new("forecast").idempotent();
    let forecast = FnTool::new(spec, move |_cx, input| {
        let run = runs.fetch_add(1, Ordering::Relaxed) + 1;
        println!("  the tool runs, {run}");
        let forecast: Forecast = input.read().map_err(|error| ToolError::new(error.to_string()))?;
        if run == 1 { Err(ToolError::new("the service is busy")) } else { Ok(format!("{}: rain", forecast.city)) }
    });
    let model = Scripted::new([
        Line::call("1", "forecast", json!({ "city": "Ghent" })),
        Line::call("2", "forecast", json!({ "city": "Ghent" })),
        Line::text("It rains in Ghent."),
    ]);
    let harness = Harness::builder(Registry::discover()?)
        .model("main", model)
        .tool(forecast)
        .context(HookContext::builder().state(Cache::default()).build())
        .build()?;
    let agent = AgentDef::new("weather").hooks(hooks![read_cache, fill_cache, retry_busy]);
    let session = harness.session("c-1", agent).open().await?;

    let mut turn = session.turn(None, "Does it rain in Ghent?");
    while let Some(event) = turn.next().await {
        match event {
            TurnEvent::ToolRetrying { error, .. } => println!("  {error}, trying again"),
            TurnEvent::ToolFinished { call, result, .. } => println!("call {}: {}", call.id, result.text()),
            _ => {}
        }
    }
    println!("{}", turn.await);
    Ok(())
}
