//! zeroclaw: handlers before a tool call, which run one after the other with panics caught.

use std::hint::black_box;

use async_trait::async_trait;
use measure::{Body, COUNTS, Class, Label, Peer, Role, Sitting, TEXT, locked, other};
use serde_json::{Value, json};
use zeroclaw_runtime::hooks::{HookHandler, HookResult, HookRunner};

struct Pass;

#[async_trait]
impl HookHandler for Pass {
    fn name(&self) -> &str {
        "pass"
    }

    async fn before_tool_call(&self, name: String, args: Value) -> HookResult<(String, Value)> {
        HookResult::Continue((name, black_box(args)))
    }
}

struct Write;

#[async_trait]
impl HookHandler for Write {
    fn name(&self) -> &str {
        "write"
    }

    async fn before_tool_call(&self, name: String, mut args: Value) -> HookResult<(String, Value)> {
        args["query"] = Value::String(other(args["query"].as_str().unwrap_or_default()));
        HookResult::Continue((name, args))
    }
}

/// A handler for another point: this one it leaves to the trait's default.
struct Elsewhere;

#[async_trait]
impl HookHandler for Elsewhere {
    fn name(&self) -> &str {
        "elsewhere"
    }
}

fn dispatch(n: usize, handler: fn() -> Box<dyn HookHandler>) -> impl AsyncFnMut() {
    let mut runner = HookRunner::new();
    (0..n).for_each(|_| runner.register(handler()));
    let mut kept = Some(("lookup".to_owned(), json!({ "query": TEXT })));
    async move || {
        let (name, args) = kept.take().expect("it comes back");
        match runner.run_before_tool_call(black_box(name), black_box(args)).await {
            HookResult::Continue(call) => kept = Some(call),
            HookResult::Cancel(reason) => panic!("nobody cancels: {reason}"),
        }
    }
}

fn main() {
    let version = locked(include_str!("../Cargo.lock"), "zeroclaw-runtime");
    let mut sitting =
        Sitting::new(Peer { name: "zeroclaw", role: Role::Peer, version, isolates: true, chosen_at_run_time: true });
    for n in COUNTS {
        let label = |body, variant| Label { class: Class::Async, body, variant, n };
        sitting.awaited(label(Body::Pass, "before_tool_call"), dispatch(n, || Box::new(Pass)));
        sitting.awaited(label(Body::Write, "before_tool_call"), dispatch(n, || Box::new(Write)));
        sitting.awaited(label(Body::Unmatched, "all at another point"), dispatch(n, || Box::new(Elsewhere)));
    }
    sitting.run();
}
