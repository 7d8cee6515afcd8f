//! Ours beside what one would write by hand.

mod alone;
mod fire;
mod floors;
mod hooks;

use floors::Care;
use hook_sdk::HookSet;
use hook_sdk::data::ToolResult;
use hooks::Query;
use measure::{Body, COUNTS, Class, Label, Peer, Role, Sitting, locked};

fn main() {
    let mut sitting = Sitting::new(ours());
    for n in COUNTS {
        sync(&mut sitting, n);
    }
    for n in COUNTS {
        asynchronous(&mut sitting, n);
    }
    sitting.of(ours());
    alone::add(&mut sitting);
    sitting.run();
}

fn ours() -> Peer {
    let version = locked(include_str!("../../Cargo.lock"), "hook-sdk");
    Peer { name: "hook-sdk", role: Role::Ours, version, isolates: true, chosen_at_run_time: true }
}

fn by_hand(isolates: bool) -> Peer {
    Peer { name: "by hand", role: Role::Floor, version: String::new(), isolates, chosen_at_run_time: true }
}

/// What stands beside each other in the table runs beside each other.
fn sync(sitting: &mut Sitting, n: usize) {
    use Body::{Pass, Read, Unmatched, Write};
    let label = |body, variant| Label { class: Class::Sync, body, variant, n };

    sitting.of(ours());
    sitting.call(label(Pass, "app's kind"), fire::app(hooks::set(hooks::app_lend::first(n))));
    sitting.call(label(Read, "app's kind"), fire::app(hooks::set(hooks::app_read::first(n))));
    sitting.call(label(Write, "app's kind"), fire::app(hooks::set(hooks::app_write::first(n))));
    sitting.call(label(Unmatched, "all at another point"), fire::app(hooks::set(hooks::read::first(n))));
    sitting.of(by_hand(false));
    sitting.call(label(Pass, "loop"), floors::lend::<Query>(n));
    sitting.call(label(Write, "loop"), floors::write::<Query>(n));
    sitting.of(by_hand(true));
    sitting.call(label(Pass, "loop, catch_unwind"), floors::lend_caught::<Query>(n));
    sitting.call(label(Write, "loop, catch_unwind, clone"), floors::write_cloned::<Query>(n, true));

    for (body, variant, first, floor) in [
        (
            Read,
            "&ToolResult",
            hooks::read::first as fn(usize) -> _,
            Box::new(floors::read::<ToolResult>(n)) as Box<dyn FnMut()>,
        ),
        (Pass, "&mut ToolResult", hooks::lend::first, Box::new(floors::lend::<ToolResult>(n))),
        (Pass, "ToolResult by value", hooks::own::first, Box::new(floors::own::<ToolResult>(n))),
        (Write, "&mut ToolResult, clone", hooks::write::first, Box::new(floors::write_cloned::<ToolResult>(n, false))),
    ] {
        beside(sitting, label(body, variant), fire::result(hooks::set(first(n))), floor);
    }
    beside(sitting, label(Read, "gate"), fire::gate(hooks::set(hooks::gate::first(n))), floors::gate(n));
    if n == 0 {
        beside(
            sitting,
            label(Pass, "if there are any"),
            fire::result(hooks::set(Vec::new())),
            floors::empty::<ToolResult>(),
        );
    }
}

/// A row of ours and the row of its budget's floor, under one name.
fn beside(sitting: &mut Sitting, label: Label, dispatch: impl FnMut() + 'static, floor: impl FnMut() + 'static) {
    sitting.of(ours()).call(label.clone(), dispatch);
    sitting.of(by_hand(false)).call(label, floor);
}

fn asynchronous(sitting: &mut Sitting, n: usize) {
    use Body::{Pass, Read, Unmatched, Write};
    let label = |body, variant| Label { class: Class::Async, body, variant, n };

    sitting.of(ours());
    sitting.awaited(label(Pass, "app's kind"), fire::app_async(hooks::set(hooks::app_async_own::first(n))));
    sitting.awaited(
        label(Pass, "app's kind, with a deadline"),
        fire::app_async(hooks::set(hooks::app_async_deadline::first(n))),
    );
    sitting.awaited(
        label(Pass, "app's kind, with an observer"),
        fire::app_async(hooks::observed(hooks::app_async_own::first(n))),
    );
    sitting.awaited(label(Read, "app's kind"), fire::app_async(hooks::set(hooks::app_async_read::first(n))));
    sitting.awaited(label(Pass, "app's kind, plain functions"), fire::app_async(hooks::set(hooks::app_lend::first(n))));
    sitting
        .awaited(label(Write, "app's kind, plain functions"), fire::app_async(hooks::set(hooks::app_write::first(n))));
    sitting.awaited(label(Write, "app's kind"), fire::app_async(hooks::set(hooks::app_async_write::first(n))));
    sitting.awaited(label(Unmatched, "all at another point"), fire::app_async(hooks::set(hooks::async_read::first(n))));
    sitting.of(by_hand(false));
    sitting.awaited(label(Pass, "boxed closures"), floors::async_own::<Query>(n, Care::Nothing));
    sitting.awaited(label(Write, "boxed closures"), floors::async_write::<Query>(n, Care::Nothing));
    sitting.of(by_hand(true));
    sitting.awaited(label(Pass, "boxed closures, catch_unwind"), floors::async_own::<Query>(n, Care::Caught));
    sitting.awaited(
        label(Write, "boxed closures, catch_unwind, clone"),
        floors::async_write::<Query>(n, Care::CaughtAndCloned),
    );

    beside_async(
        sitting,
        label(Read, "&ToolResult"),
        hooks::set(hooks::async_read::first(n)),
        floors::async_read::<ToolResult>(n),
    );
    beside_async(
        sitting,
        label(Pass, "ToolResult by value"),
        hooks::set(hooks::async_own::first(n)),
        floors::async_own::<ToolResult>(n, Care::Nothing),
    );
    beside_async(
        sitting,
        label(Write, "ToolResult by value, clone"),
        hooks::set(hooks::async_write::first(n)),
        floors::async_write::<ToolResult>(n, Care::Cloned),
    );
    sitting.of(ours()).awaited(label(Read, "gate"), fire::gate_async(hooks::set(hooks::async_gate::first(n))));
    if n == 0 {
        beside_async(
            sitting,
            label(Pass, "if there are any"),
            hooks::set(Vec::new()),
            floors::empty_async::<ToolResult>(),
        );
    }
}

fn beside_async(sitting: &mut Sitting, label: Label, set: HookSet, floor: impl AsyncFnMut() + 'static) {
    sitting.of(ours()).awaited(label.clone(), fire::result_async(set));
    sitting.of(by_hand(false)).awaited(label, floor);
}
