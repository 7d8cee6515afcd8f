//! Ours against itself: long conversations, large registries, start-up, and readers that wait.

use std::hint::black_box;

use hook_sdk::kinds::*;
use hook_sdk::prelude::*;
use measure::{Body, Class, Label, Sitting};

use crate::{fire, hooks};

fn label(variant: &'static str, body: Body, n: usize) -> Label {
    Label { class: Class::Scale, body, variant, n }
}

pub(crate) fn add(sitting: &mut Sitting) {
    for n in [10, 1_000, 10_000] {
        sitting.call(
            label("8 hooks, a history of N untouched", Body::Pass, n),
            fire::history(hooks::set(hooks::history::first(8)), n),
        );
    }
    for n in [10, 1_000, 10_000] {
        sitting.call(
            label("1 hook, a history of N with one message edited", Body::Write, n),
            fire::history(hooks::set(hooks::history_edit::first(1)), n),
        );
    }
    for n in [20, 1_000, 10_000] {
        let (registry, agent) = registry(n);
        let set = registry.scope(&agent, None).expect("nothing is wrong");
        sitting.call(label("20 hooks in scope, N registered", Body::Pass, n), fire::result(set));
        sitting.call(label("making the set of 20, N registered", Body::Pass, n), making(registry, agent));
    }
    for n in [100, 1_000, 10_000] {
        sitting.call(label("registering N hooks", Body::Pass, n), move || drop(black_box(register(n))));
        let agent = AgentDef::new("bench").hooks((0..n).map(id));
        sitting.call(label("making the set of N hooks", Body::Pass, n), making(register(n), agent));
    }
    for n in [1, 8] {
        sitting.awaited(
            label("N readers that wait 10 ms", Body::Pass, n),
            fire::result_async(hooks::set(hooks::waiting::first(n))),
        );
    }
}

fn id(number: usize) -> String {
    format!("hook_{number}")
}

fn register(size: usize) -> Registry {
    let registry = Registry::empty();
    for number in 0..size {
        let hook = Hook::at::<AfterToolCallSuccess>(&id(number)).reader(|_, _, result: &ToolResult| {
            black_box(result);
        });
        registry.register(hook).expect("the ids differ");
    }
    registry
}

/// A registry of so many hooks of which an agent names twenty.
fn registry(size: usize) -> (Registry, AgentDef) {
    (register(size), AgentDef::new("bench").hooks((0..20).map(|i| id(i * (size / 20)))))
}

fn making(registry: Registry, agent: AgentDef) -> impl FnMut() {
    move || drop(black_box(registry.scope(&agent, None).expect("nothing is wrong")))
}
