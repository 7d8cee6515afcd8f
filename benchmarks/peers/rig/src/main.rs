//! rig-agent: a stack of hooks, here before a tool call.

use std::hint::black_box;

use measure::{Body, COUNTS, Class, Label, Peer, Role, Sitting, TEXT, locked, other};
use rig_agent::agent::{AgentHook, DispatchAction, DispatchEvent, HookContext, StepEventKind};
use rig_agent::test_utils::HookTestHarness;
use rig_core::effect::{EffectId, EffectKind};

struct Pass;

impl AgentHook for Pass {
    async fn on_dispatch(&self, _: &HookContext, event: DispatchEvent<'_>) -> DispatchAction {
        black_box(event.kind);
        DispatchAction::Proceed
    }
}

struct Write;

impl AgentHook for Write {
    async fn on_dispatch(&self, _: &HookContext, event: DispatchEvent<'_>) -> DispatchAction {
        match event.kind {
            EffectKind::ToolCall { name, args } => {
                DispatchAction::Patch(EffectKind::ToolCall { name: name.clone(), args: other(args) })
            }
            _ => DispatchAction::Proceed,
        }
    }
}

struct Elsewhere;

impl AgentHook for Elsewhere {
    async fn on_dispatch(&self, _: &HookContext, event: DispatchEvent<'_>) -> DispatchAction {
        black_box(event.kind);
        DispatchAction::Proceed
    }

    fn observes(&self, _: StepEventKind) -> bool {
        false
    }
}

fn dispatch(harness: HookTestHarness) -> impl AsyncFnMut() {
    let mut kind = EffectKind::ToolCall { name: "lookup".to_owned(), args: TEXT.to_owned() };
    async move || {
        let event =
            DispatchEvent { id: EffectId::from_raw(1), kind: black_box(&kind), turn: 1, call_id: None, context: None };
        let action = harness.hooks().on_dispatch(harness.context(), event).await;
        if let DispatchAction::Patch(patched) = black_box(action) {
            kind = patched;
        }
    }
}

fn main() {
    let version = locked(include_str!("../Cargo.lock"), "rig-agent");
    let mut sitting =
        Sitting::new(Peer { name: "rig-agent", role: Role::Peer, version, isolates: false, chosen_at_run_time: true });
    for n in COUNTS {
        let label = |body, variant| Label { class: Class::Async, body, variant, n };
        let stack =
            |add: fn(HookTestHarness) -> HookTestHarness| (0..n).fold(HookTestHarness::new(), |all, _| add(all));
        sitting.awaited(label(Body::Pass, "on_dispatch"), dispatch(stack(|all| all.with_hook(Pass))));
        sitting.awaited(label(Body::Write, "on_dispatch, patch"), dispatch(stack(|all| all.with_hook(Write))));
        sitting.awaited(label(Body::Unmatched, "none observes it"), dispatch(stack(|all| all.with_hook(Elsewhere))));
    }
    sitting.run();
}
