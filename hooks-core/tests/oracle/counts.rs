//! Counts what the random sets covered, so that a run can print it.

use std::cell::Cell;
use std::fmt;

use hook_sdk::record::{Note, Status};

use super::case::Case;
use super::fold::{End, Run, fold};
use super::order::order;

/// How often each thing happened.
#[derive(Default)]
pub(crate) struct Counts {
    dispatches: Cell<usize>,
    hooks: Cell<usize>,
    cycles: Cell<usize>,
    failures: Cell<usize>,
    removed: Cell<usize>,
    decided: Cell<usize>,
    required: Cell<usize>,
    cancelled: Cell<usize>,
    fell_back: Cell<usize>,
    on_threads: Cell<usize>,
    frozen_or_outdated: Cell<usize>,
    detached: Cell<usize>,
}

impl Counts {
    pub(crate) fn note(&self, case: &Case) {
        let add = |cell: &Cell<usize>, more: usize| cell.set(cell.get() + more);
        let Some(order) = order(case) else { return add(&self.cycles, 1) };
        for round in 0..case.moves.len() {
            let out = fold(case, &order, round);
            add(&self.dispatches, 1);
            add(&self.hooks, order.len());
            add(&self.failures, out.failures.len());
            add(&self.removed, usize::from(matches!(out.end, End::Removed(_))));
            add(&self.decided, usize::from(out.end == End::Decided));
            add(&self.required, usize::from(matches!(out.end, End::Required(_))));
            add(&self.detached, out.started.len());
            let runs = || out.runs.iter().flatten();
            let fell_back = |run: &&Run| run.note == Some(Note::FallbackAnswered);
            add(&self.fell_back, runs().filter(fell_back).count());
            add(&self.on_threads, case.specs.iter().filter(|spec| spec.blocking).count());
            add(&self.cancelled, runs().filter(|run| run.status == Status::Cancelled).count());
            add(&self.frozen_or_outdated, runs().filter(|run| run.note.is_some()).count());
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            dispatches,
            hooks,
            cycles,
            failures,
            removed,
            decided,
            required,
            cancelled,
            fell_back,
            on_threads,
            frozen_or_outdated,
            detached,
        } = self;
        write!(
            f,
            "{} dispatches, {} runs, {} sets with a cycle, {} failures, {} removals, {} denials, {} required failures, {} cancelled, {} fallbacks that answered, {} on threads, {} frozen or outdated, {} detached",
            dispatches.get(),
            hooks.get(),
            cycles.get(),
            failures.get(),
            removed.get(),
            decided.get(),
            required.get(),
            cancelled.get(),
            fell_back.get(),
            on_threads.get(),
            frozen_or_outdated.get(),
            detached.get(),
        )
    }
}
