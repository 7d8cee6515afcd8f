//! Without a provider, a dispatch allocates as much as with an observer that does nothing.

use hook_sdk::kinds::BeforeToolCall;
use hook_sdk::prelude::*;
use hook_sdk::record::{Observer, Record};
use hooks_otel::Telemetry;
use serde_json::json;

use crate::dispatches::{context, registry};

struct Nothing;

impl Observer for Nothing {
    fn dispatched(&self, _record: &Record) {}
}

/// The allocations of a dispatch of `tool` with this observer.
fn allocations(observer: impl Observer, tool: &str) -> u64 {
    let registry = registry();
    registry.observe(observer);
    let list = AgentDef::new("clerk").hooks(["denies", "looks", "rewrites", "fails"]);
    let hooks = registry.scope(&list, None).unwrap();
    let call = ToolCall::new("call_1", tool, json!({ "text": "old" }));
    let (cx, event) = (context(), BeforeToolCall::new(call));
    let fire = || hooks.fire_blocking(&cx, &event, event.call.input.clone()).unwrap();
    // What is made once is made now.
    let _first = fire();
    allocation_counter::measure(|| drop(fire())).count_total
}

#[test]
fn without_a_provider_nothing_is_allocated_per_dispatch() {
    for tool in ["pay", "find", "mail", "other"] {
        let telemetry = Telemetry::global().provider("anthropic").guardrails(true).viewers(true);
        assert_eq!(allocations(telemetry, tool), allocations(Nothing, tool), "{tool}");
    }
}

#[test]
fn what_a_provider_gets_is_allocated() {
    let collector = crate::collector::Collector::new();
    assert!(allocations(collector.telemetry(), "pay") > allocations(Nothing, "pay"), "the test measures something");
}
