//! What the programs share: the time that finding their hooks takes. The hooks are functions with `#[hook]`, as an app
//! has them; `build.rs` writes as many as each program links.

use std::hint::black_box;

use hook_sdk::prelude::*;
use measure::{Body, Class, Label, Peer, Role, Sitting, locked};

/// Measures the start of a program with `count` hooks linked in.
///
/// # Panics
/// If another number of hooks is there.
pub fn run(count: usize) {
    let found = Registry::discover().expect("the ids differ");
    assert_eq!(found.hooks().len(), count, "so many are linked");
    let agent = AgentDef::new("bench").hooks((0..count).map(|number| format!("hook_{number}")));
    drop(found.scope(&agent, None).expect("all of them are there"));

    let version = locked(include_str!("../../Cargo.lock"), "hook-sdk");
    let ours = Peer { name: "hook-sdk", role: Role::Ours, version, isolates: true, chosen_at_run_time: true };
    let label = |variant| Label { class: Class::Scale, body: Body::Pass, variant, n: count };
    let mut sitting = Sitting::new(ours);
    sitting.call(label("start: finding N linked hooks"), || drop(black_box(Registry::discover())));
    sitting.call(label("start: finding them, and the set of all N"), move || {
        let registry = Registry::discover().expect("the ids differ");
        drop(black_box(registry.scope(&agent, None)));
    });
    sitting.run();
}
