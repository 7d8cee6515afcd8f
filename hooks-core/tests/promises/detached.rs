//! Detached hooks in their dispatch: how promises 2, 3, 5 and 12 apply to hooks that the dispatch does not wait for.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_executor::block_on;
use hook_sdk::record::{OnEnd, RunEnd, Skip, Status};
use hook_sdk::testing;

use super::support::*;

/// A transform whose event can be cloned.
#[derive(Clone, Debug, HookKind)]
#[hook_kind(name = "note", subject = Trail, removable)]
struct NoteDown {}

/// A gate whose event can be cloned.
#[derive(Clone, Debug, HookKind)]
#[hook_kind(name = "decide", subject = Trail, verdict = Permission)]
struct Decide {}

/// A detached hook that records the subject it receives.
fn sees(name: &'static str, into: &Arc<Mutex<Vec<String>>>) -> Hook {
    let into = Arc::clone(into);
    Hook::at::<NoteDown>(name).detached::<_, (), _>(move |_, _, trail| {
        into.lock().unwrap().push(format!("{name}: {}", trail.0.join(" ")));
        later(0, ())
    })
}

fn leaves(name: &'static str) -> Hook {
    Hook::at::<NoteDown>(name).writer::<_, (), _>(move |_, _, trail| trail.0.push(name))
}

#[tokio::test]
async fn a_detached_hook_receives_the_subject_at_its_position_and_the_dispatch_does_not_wait() {
    let seen = Arc::default();
    let hooks =
        [sees("first", &seen).priority(-1), leaves("a"), sees("second", &seen).priority(1), leaves("b").priority(2)];
    let set = set(hooks);
    let fired = set.fire(&HookContext::new(), &NoteDown {}, Trail::default()).await.unwrap();
    assert_eq!(fired.subject.unwrap().0, ["a", "b"]);
    assert!(seen.lock().unwrap().is_empty(), "the dispatch returned before any of them began");
    tokio::task::yield_now().await;
    assert_eq!(*seen.lock().unwrap(), ["first: ", "second: a"]);
}

fn never(name: &str) -> Hook {
    Hook::at::<Decide>(name).detached::<_, (), _>(|_, _, _| panic!("it was started"))
}

#[tokio::test]
async fn after_a_removal_or_a_denial_a_detached_hook_is_recorded_as_skipped() {
    let seen = Arc::default();
    let removes = Hook::at::<NoteDown>("removes").replacer(|_, _, _: Trail| None);
    let ran = testing::run([removes, sees("late", &seen).priority(1)], &NoteDown {}, Trail::default()).await;
    ran.unwrap().expect_skipped("late", Skip::Removed);
    let denies = Hook::at::<Decide>("denies").reader(|_, _, _| Permission::deny("no"));
    let ran = testing::run([denies, never("late").priority(1)], &Decide {}, Trail::default()).await;
    ran.unwrap().expect_skipped("late", Skip::Decided);
    assert!(seen.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_detached_hook_joins_a_stage_of_waiting_readers_and_delays_none_of_them() {
    let slow = |name: &'static str| Hook::at::<Decide>(name).async_reader(|_, _, _| later(10, Permission::Allow));
    let detached = Hook::at::<Decide>("detached").detached(|_, _, _| later(10_000, ())).timeout(Timeout::None);
    let set = set([slow("a"), detached, slow("b")]);
    assert_eq!(stages(&set), "[a detached b]");
    let start = tokio::time::Instant::now();
    let fired = set.fire(&cx(), &Decide {}, Trail::default()).await.unwrap();
    assert_eq!(start.elapsed(), Duration::from_millis(10));
    let expected = [("a", Status::Completed), ("detached", Status::Detached), ("b", Status::Completed)];
    let record = fired.report.record.clone().unwrap();
    assert_eq!(statuses(&record), expected.map(|(id, status)| (id.to_owned(), status)));
    assert_eq!(record.runs[1].duration, None, "a detached run has no duration in the dispatch");
}

#[tokio::test(start_paused = true)]
async fn a_failed_detached_hook_does_not_change_the_answer_of_a_gate() {
    type Make = fn() -> Hook;
    let cases: [(Make, Status, &str); 4] = [
        (|| Hook::at::<Decide>("h").detached(|_, _, _| later(1, Err::<(), _>("no luck"))), Status::Failed, "no luck"),
        (|| Hook::at::<Decide>("h").detached::<_, (), _>(|_, _, _| panic!("at once")), Status::Panicked, "at once"),
        (
            || Hook::at::<Decide>("h").detached::<_, (), _>(|_, _, _| Box::pin(async { panic!("later") })),
            Status::Panicked,
            "later",
        ),
        (
            || {
                Hook::at::<Decide>("h")
                    .detached::<_, (), _>(|_, _, _| Box::pin(std::future::pending()))
                    .timeout(Timeout::After(Duration::from_millis(5)))
            },
            Status::TimedOut,
            "not finished within 5ms",
        ),
    ];
    for (hook, status, cause) in cases {
        let allows = Hook::at::<Decide>("allows").reader(|_, _, _| Permission::Allow);
        let ran = testing::run([hook(), allows], &Decide {}, Trail::default()).await.unwrap();
        ran.expect_status("h", status).expect_free();
        assert_eq!(ran.of("h").cause.as_deref(), Some(cause));
        assert_eq!(ran.verdict, Permission::Allow);
        assert!(ran.report.failures.is_empty());
    }
}

#[test]
fn without_a_runtime_a_detached_hook_fails_to_start_and_the_dispatch_continues() {
    let seen = Arc::default();
    let detached = || Hook::at::<Decide>("detached").detached::<_, (), _>(|_, _, _| later(0, ()));
    let allows = || Hook::at::<Decide>("allows").reader(|_, _, _| Permission::Allow);
    for both_ways in [true, false] {
        let set = set([detached(), allows()]);
        let fired = if both_ways {
            set.fire_blocking(&cx(), &Decide {}, Trail::default())
        } else {
            block_on(set.fire(&cx(), &Decide {}, Trail::default()))
        };
        let fired = fired.unwrap();
        assert_eq!(fired.verdict, Permission::Allow, "a gate's detached hook does not deny by failing");
        let run = fired.report.record.clone().unwrap().runs[0].clone();
        assert_eq!(run.status, Status::Failed);
        assert_eq!(run.cause.as_deref(), Some("a detached hook needs a Tokio runtime, and none is running here"));
        assert_eq!(fired.report.failures[0].on_failure, OnFailure::Continue);
    }
    let set = set([sees("detached", &seen), leaves("a")]);
    let fired = set.fire_blocking(&cx(), &NoteDown {}, Trail::default()).unwrap();
    assert_eq!(fired.subject.unwrap().0, ["a"]);
}

#[tokio::test]
async fn fire_blocking_within_a_runtime_starts_detached_hooks() {
    let registry = registry([Hook::at::<Decide>("h").detached::<_, (), _>(|_, _, _| later(0, ()))]);
    let set = registry.scope(&AgentDef::new("a").hooks(["h"]), None).unwrap();
    let fired = set.fire_blocking(&cx(), &Decide {}, Trail::default()).unwrap();
    assert_eq!(fired.report.record.clone().unwrap().runs[0].status, Status::Detached);
    assert_eq!(registry.drain(Duration::from_secs(5)).await.detached.done, 1);
}

#[tokio::test]
async fn an_observer_that_panics_at_the_end_of_a_run_does_not_affect_other_observers() {
    let registry = registry([Hook::at::<Decide>("h").detached::<_, (), _>(|_, _, _| later(0, ()))]);
    let heard = Arc::new(Mutex::new(0));
    let into = Arc::clone(&heard);
    registry.observe(OnEnd(|_: &RunEnd, _: &Contributions| panic!("oh")));
    registry.observe(OnEnd(move |_: &RunEnd, _: &Contributions| *into.lock().unwrap() += 1));
    let set = registry.scope(&AgentDef::new("a").hooks(["h"]), None).unwrap();
    let _ = set.fire(&cx(), &Decide {}, Trail::default()).await.unwrap();
    registry.drain(Duration::from_secs(5)).await;
    assert_eq!(*heard.lock().unwrap(), 1);
}

#[tokio::test]
async fn a_detached_run_that_panics_when_it_is_dropped_has_failed() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }
    let hook = Hook::at::<Decide>("h").detached::<_, (), _>(|_, _, _| {
        let bomb = Bomb;
        Box::pin(async move {
            let _bomb = bomb;
        })
    });
    let ran = testing::run([hook], &Decide {}, Trail::default()).await.unwrap();
    ran.expect_failed("h", "dropped");
}

#[hook(id = "computes", kind = NoteDown, run = detached, blocking)]
fn computes(trail: &Trail) -> Result<(), String> {
    if trail.0.is_empty() { Ok(()) } else { Err(format!("{:?}", trail.0)) }
}

#[tokio::test]
async fn a_blocking_detached_hook_runs_on_another_thread_and_its_end_is_reported() {
    let table = [
        (Trail::default(), (Status::Completed, None)),
        (Trail(vec!["x"]), (Status::Failed, Some(r#"["x"]"#.to_owned()))),
    ];
    for (trail, expected) in table {
        let registry = Registry::empty().with(hooks![computes]).unwrap();
        let ends: Arc<Mutex<Vec<_>>> = Arc::default();
        let into = Arc::clone(&ends);
        registry.observe(OnEnd(move |ended: &RunEnd, _: &Contributions| {
            into.lock().unwrap().push((ended.run.status, ended.run.cause.clone()));
        }));
        let set = registry.scope(&AgentDef::new("a").hooks(hooks![computes]), None).unwrap();
        let _ = set.fire(&cx(), &NoteDown {}, trail).await.unwrap();
        registry.drain(Duration::from_secs(5)).await;
        assert_eq!(*ends.lock().unwrap(), [expected]);
    }
}
