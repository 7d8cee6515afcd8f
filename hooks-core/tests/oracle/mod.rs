//! Fires random sets of hooks at three kinds, and compares each outcome with a sequential fold written from
//! docs/design.md.
//!
//! For a long run: `HOOKS_ORACLE_DISPATCHES=1000000 cargo test --release -p hook-sdk --test it oracle`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "the helpers of tests are tests too"
)]

mod case;
mod counts;
mod detached;
mod filtered;
mod fold;
mod hooks;
mod order;

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::diagnostics::ProblemKind;
use hook_sdk::prelude::*;
use hook_sdk::record::{FailureKind, Note, Record, Run, Status};
use hook_sdk::verdict::Cause;
use hook_sdk::{DispatchError, HookContext};
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};

use case::{Case, Point};
use fold::{End, Outcome, Started};
use hooks::{Bytes, LIVE, OEvent, OGate, OStep};

/// Number of dispatches per set.
const FIRED: usize = 4;

/// What a caller and an observer can see of a dispatch, at any kind.
#[derive(Debug, PartialEq)]
struct Seen {
    subject: Option<Vec<u8>>,
    permission: Answered,
    halt: Option<String>,
    removed_by: Option<String>,
    failures: Vec<(String, FailureKind)>,
    required: Option<String>,
    runs: Option<Vec<SeenRun>>,
}

/// The permission in a word, the hook that gave it, and how that hook failed if it did not decide.
type Answered = (Option<&'static str>, Option<String>, Option<FailureKind>);

fn answered(permission: Permission) -> Answered {
    let word = permission.summary();
    let (by, cause) = match permission {
        Permission::Ask(question) | Permission::Defer(question) => (question.by, Cause::Policy),
        Permission::Deny(denial) => (denial.by, denial.cause),
        _ => (None, Cause::Policy),
    };
    let failure = match cause {
        Cause::CouldNotAnswer(kind) => Some(kind),
        _ => None,
    };
    (word, by.map(|by| by.to_string()), failure)
}

type SeenRun = (String, Status, bool, Option<&'static str>, Option<Note>);

fn seen_run(run: &Run) -> SeenRun {
    (run.hook.to_string(), run.status, run.changed, run.verdict, run.note)
}

fn expected(case: &Case, outcome: &Outcome) -> Seen {
    let id = |index: usize| case.specs[index].id.to_owned();
    let failures = outcome.failures.iter().map(|&(index, kind)| (id(index), kind));
    let required = match outcome.end {
        End::Required(index) => Some(id(index)),
        _ => None,
    };
    let removed_by = match outcome.end {
        End::Removed(index) => Some(id(index)),
        _ => None,
    };
    let gone = removed_by.is_some() || case.point == Point::Event;
    let error = required.is_some();
    Seen {
        subject: (!gone).then(|| outcome.subject.clone()),
        permission: match outcome.by {
            _ if error => (None, None, None),
            Some((index, failure)) => (outcome.permission.summary(), Some(id(index)), failure),
            None => (outcome.permission.summary(), None, None),
        },
        halt: outcome.halt.filter(|_| !error).map(id),
        removed_by,
        failures: if error { Vec::new() } else { failures.collect() },
        required,
        runs: outcome.runs.as_ref().map(|runs| {
            runs.iter().map(|run| (id(run.index), run.status, run.changed, run.verdict, run.note)).collect()
        }),
    }
}

fn seen<K: HookKind>(
    fired: Result<Fired<K>, DispatchError>,
    subject: impl Fn(hook_sdk::FinalSubject<K>) -> Option<Vec<u8>>,
    recovered: impl Fn(K::Subject) -> Option<Vec<u8>>,
    permission: impl Fn(K::Verdict) -> Permission,
) -> Seen {
    let mut seen = Seen {
        subject: None,
        permission: (None, None, None),
        halt: None,
        removed_by: None,
        failures: Vec::new(),
        required: None,
        runs: None,
    };
    match fired {
        Ok(fired) => {
            seen.subject = subject(fired.subject);
            seen.permission = answered(permission(fired.verdict));
            seen.halt = fired.report.halt.clone().and_then(|halt| halt.by).map(|by| by.to_string());
            seen.removed_by = fired.report.removed_by.clone().map(|by| by.to_string());
            seen.failures = fired.report.failures.iter().map(|f| (f.hook.to_string(), f.failure)).collect();
        }
        Err(error) => {
            match &error {
                DispatchError::Required { failure, .. } => seen.required = Some(failure.hook.to_string()),
                other => panic!("{other}"),
            }
            seen.subject = recovered(error.into_subject::<K>().expect("a subject of this kind"));
        }
    }
    seen
}

async fn fire(case: &Case, set: &HookSet, cx: &HookContext, round: usize) -> Seen {
    let script = hooks::script(case, round);
    let start = Bytes::new(vec![round.try_into().unwrap_or(0)]);
    let bytes = |bytes: Bytes| Some(bytes.to_vec());
    match case.point {
        Point::Gate => seen(set.fire(cx, &OGate { script }, start).await, bytes, bytes, |verdict| verdict),
        Point::Step => {
            let fired = set.fire(cx, &OStep { script }, start).await;
            seen(fired, |kept| kept.and_then(bytes), bytes, |()| Permission::NoOpinion)
        }
        Point::Event => {
            seen(set.fire(cx, &OEvent { script }, ()).await, |()| None, |()| None, |()| Permission::NoOpinion)
        }
    }
}

fn check(case: &Case, runtime: &tokio::runtime::Runtime) -> Result<(), TestCaseError> {
    let registry = hooks::registry(case);
    // Nobody observes this set. Without an observer, a dispatch takes other code paths, and the outcome must be the
    // same.
    let unheard = registry.scope(&hooks::agent(case), None);
    let heard: Arc<Mutex<Option<Vec<SeenRun>>>> = Arc::default();
    let into = Arc::clone(&heard);
    registry.observe(move |record: &Record| {
        *into.lock().unwrap() = Some(record.runs.iter().map(seen_run).collect());
    });
    let ends = detached::Ends::of(&registry);
    let set = registry.scope(&hooks::agent(case), None);
    let Some(order) = order::order(case) else {
        let Err(error) = set else { return Err(TestCaseError::fail("a cycle was not reported")) };
        let only_cycles = error.problems().iter().all(|problem| problem.kind() == ProblemKind::Cycle);
        return if only_cycles { Ok(()) } else { Err(TestCaseError::fail(error.to_string())) };
    };
    let set = set.map_err(|error| TestCaseError::fail(error.to_string()))?;
    let unheard = unheard.map_err(|error| TestCaseError::fail(error.to_string()))?;
    let fired = fire_all(case, &order, runtime, [&set, &unheard], &heard);
    // Drain after a difference too, so that no run of this case is left for the next one.
    let drained = runtime.block_on(registry.drain(Duration::from_secs(60)));
    let given = detached::given();
    ends.check(case, &fired?, given, drained.detached.done + drained.detached.failed)
}

/// Fires all rounds, with and without an observer. Returns the detached runs that each round should start.
fn fire_all(
    case: &Case,
    order: &[usize],
    runtime: &tokio::runtime::Runtime,
    [set, unheard]: [&HookSet; 2],
    heard: &Mutex<Option<Vec<SeenRun>>>,
) -> Result<Vec<Started>, TestCaseError> {
    let cx = HookContext::new();
    let mut started = Vec::new();
    for round in 0..FIRED {
        let outcome = fold::fold(case, order, round);
        let expected = expected(case, &outcome);
        started.extend(outcome.started);
        let mut got = runtime.block_on(fire(case, set, &cx, round));
        got.runs = heard.lock().unwrap().take();
        let mut got_unheard = runtime.block_on(fire(case, unheard, &cx, round));
        got_unheard.runs.clone_from(&expected.runs);
        if got != expected || got_unheard != expected {
            return Err(TestCaseError::fail(format!(
                "round {round}\n     got {got:#?}\n unheard {got_unheard:#?}\nexpected {expected:#?}\n{set}"
            )));
        }
    }
    Ok(started)
}

#[test]
fn a_dispatch_is_the_fold_of_its_hooks_in_order() {
    hook_sdk::quiet_panics();
    let dispatches: usize =
        std::env::var("HOOKS_ORACLE_DISPATCHES").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    // Some sets have a cycle and fire nothing.
    let cases = u32::try_from(dispatches.div_ceil(FIRED) * 21 / 20).unwrap();
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 4_000, ..Config::default() };
    let counts = counts::Counts::default();
    let start = std::time::Instant::now();
    let run = TestRunner::new(config).run(&case::strategy(FIRED), |case| {
        counts.note(&case);
        check(&case, &runtime)
    });
    if let Err(TestError::Fail(why, case)) = run {
        panic!("{why}\n{case:#?}");
    }
    assert_eq!(runtime.metrics().num_alive_tasks(), 0, "tasks still alive");
    // Threads of the runtime may still hold values of a dispatch that did not wait for them.
    drop(runtime);
    assert_eq!(LIVE.load(Ordering::SeqCst), 0, "subjects still alive");
    println!("{cases} sets in {:?}: {counts}", start.elapsed());
}
