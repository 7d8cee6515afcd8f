//! `bevy_ecs`: global observers of an event.

use std::hint::black_box;

use bevy_ecs::prelude::*;
use measure::{Body, COUNTS, Class, Label, Peer, Role, Sitting, TEXT, locked, other};

#[derive(Event)]
struct BeforeLookup {
    text: String,
}

#[derive(Event)]
struct AnotherPoint;

fn pass(mut event: On<BeforeLookup>) {
    black_box(&mut event.text);
}

fn write(mut event: On<BeforeLookup>) {
    event.text = other(&event.text);
}

fn elsewhere(event: On<AnotherPoint>) {
    black_box(event.event());
}

fn trigger(mut world: World) -> impl FnMut() {
    let mut event = BeforeLookup { text: TEXT.to_owned() };
    world.flush();
    move || world.trigger_ref(black_box(&mut event))
}

fn main() {
    let version = locked(include_str!("../../../Cargo.lock"), "bevy_ecs");
    let mut sitting =
        Sitting::new(Peer { name: "bevy_ecs", role: Role::Peer, version, isolates: false, chosen_at_run_time: true });
    for n in COUNTS {
        let label = |body, variant| Label { class: Class::Sync, body, variant, n };
        let mut worlds = [World::new(), World::new(), World::new()];
        for _ in 0..n {
            worlds[0].add_observer(pass);
            worlds[1].add_observer(write);
            worlds[2].add_observer(elsewhere);
        }
        let [passing, writing, other] = worlds;
        sitting.call(label(Body::Pass, "trigger_ref"), trigger(passing));
        sitting.call(label(Body::Write, "trigger_ref"), trigger(writing));
        sitting.call(label(Body::Unmatched, "all at another point"), trigger(other));
    }
    sitting.run();
}
