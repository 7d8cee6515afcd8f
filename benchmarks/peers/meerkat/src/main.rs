//! meerkat-hooks: in-process hooks before a tool runs. They allow or deny; none can rewrite.

use std::hint::black_box;
use std::sync::Arc;

use measure::{Body, COUNTS, Class, Label, Peer, Role, Sitting, TEXT, locked};
use meerkat_core::config::HookAdapterConfig;
use meerkat_core::{
    HookCapability, HookEngine, HookEntryConfig, HookId, HookInvocation, HookPoint, HookToolCall, HooksConfig,
    SessionId, ToolCallArguments,
};
use meerkat_hooks::{DefaultHookEngine, RuntimeHookResponse};

fn execute(n: usize, point: HookPoint) -> impl AsyncFnMut() {
    let entry = |number| HookEntryConfig {
        id: HookId::new(format!("hook_{number}")),
        point,
        capability: HookCapability::Guardrail,
        runtime: HookAdapterConfig::in_process("pass"),
        ..HookEntryConfig::default()
    };
    let config = HooksConfig { entries: (0..n).map(entry).collect(), ..HooksConfig::default() };
    let engine = DefaultHookEngine::new(config).with_in_process_handler(
        "pass",
        Arc::new(|invocation| {
            Box::pin(async move {
                black_box(invocation);
                Ok(RuntimeHookResponse::default())
            })
        }),
    );
    let mut invocation = HookInvocation::new(HookPoint::PreToolExecution, SessionId::new());
    invocation.tool_call = Some(HookToolCall {
        tool_use_id: "call_1".to_owned(),
        name: "lookup".to_owned(),
        args: ToolCallArguments::from_value(serde_json::json!({ "query": TEXT })).expect("an object"),
        provenance: None,
    });
    async move || {
        // The engine takes it by value and does not give it back.
        let report = engine.execute(black_box(invocation.clone()), None).await.expect("nothing fails");
        black_box(report);
    }
}

fn main() {
    let version = locked(include_str!("../Cargo.lock"), "meerkat-hooks");
    let mut sitting = Sitting::new(Peer {
        name: "meerkat-hooks",
        role: Role::Peer,
        version,
        isolates: false,
        chosen_at_run_time: true,
    });
    for n in COUNTS {
        let label = |body, variant| Label { class: Class::Async, body, variant, n };
        let here = execute(n, HookPoint::PreToolExecution);
        sitting.awaited(label(Body::Read, "execute, each under a timer"), here);
        let elsewhere = execute(n, HookPoint::PreLlmRequest);
        sitting.awaited(label(Body::Unmatched, "all at another point"), elsewhere);
    }
    sitting.run();
}
