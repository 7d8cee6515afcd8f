//! Promise 13: detached runs are bounded in number, drained with a deadline, and never lost silently.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::record::Status;
use hook_sdk::worker::Worker;
use tokio::sync::Semaphore;

use super::detached_support::*;
use super::support::*;

/// A detached hook that ends when the test releases it.
fn gated(name: &'static str, gate: &Arc<Semaphore>) -> Hook {
    let gate = Arc::clone(gate);
    Hook::at::<SeenOften>(name).detached(move |_, _, ()| {
        let gate = Arc::clone(&gate);
        Box::pin(async move { drop(gate.acquire().await) })
    })
}

#[tokio::test(start_paused = true)]
async fn beyond_the_limit_a_detached_run_is_recorded_as_dropped_until_a_place_is_free() {
    let gate = Arc::new(Semaphore::new(0));
    let registry = registry([gated("slow", &gate)]);
    registry.set_detached_limit(2);
    let ends = Ends::of(&registry);
    let set = scope(&registry, &["slow"]);
    let fire = async || {
        let fired = set.fire(&cx(), &SeenOften {}, ()).await.unwrap();
        assert!(fired.report.failures.is_empty(), "a dropped run is not a failure");
        let run = fired.report.record.clone().unwrap().runs[0].clone();
        (run.status, run.cause)
    };
    assert_eq!(fire().await, (Status::Detached, None));
    assert_eq!(fire().await, (Status::Detached, None));
    let (status, cause) = fire().await;
    assert_eq!(status, Status::Dropped);
    assert_eq!(cause.as_deref(), Some("the limit of 2 detached runs is reached"));
    gate.add_permits(9);
    while ends.rows().len() < 2 {
        tokio::task::yield_now().await;
    }
    tokio::task::yield_now().await;
    assert_eq!(fire().await.0, Status::Detached, "a place is free again");
    let drained = registry.drain(SOON).await;
    let counts = drained.detached;
    assert_eq!((counts.done, counts.cancelled, counts.dropped, counts.running), (3, 0, 1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_drain_waits_until_its_deadline_cancels_the_rest_and_counts_all_runs() {
    let detached = |name: &'static str, millis: u64| {
        Hook::at::<SeenOften>(name).detached(move |_, _, ()| later(millis, ())).timeout(Timeout::None)
    };
    let registry = registry([detached("quick", 10), detached("slow", 60_000)]);
    let ends = Ends::of(&registry);
    let set = scope(&registry, &["quick", "slow"]);
    let _ = set.fire(&cx(), &SeenOften {}, ()).await.unwrap();
    let start = tokio::time::Instant::now();
    let drained = registry.drain(SOON).await;
    assert!(start.elapsed() >= SOON && start.elapsed() < 2 * SOON, "{:?}", start.elapsed());
    let counts = drained.detached;
    assert_eq!((counts.done, counts.cancelled, counts.running), (1, 1, 0));
    let expected = [row("quick", Status::Completed, 1), row("slow", Status::Cancelled, 1)];
    assert_eq!(ends.rows(), expected);
    let fired = set.fire(&cx(), &SeenOften {}, ()).await.unwrap();
    let statuses = statuses(fired.report.record.as_deref().unwrap());
    assert!(
        statuses.iter().all(|(_, status)| *status == Status::Dropped),
        "after a drain, no run starts: {statuses:?}"
    );
    assert_eq!(registry.drain(SOON).await.detached.done, 1, "a second drain has nothing to do");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_computes_is_counted_as_running_and_does_not_delay_the_drain() {
    let (started, begun) = std::sync::mpsc::channel::<()>();
    let (release, released) = std::sync::mpsc::channel::<()>();
    let (started, released) = (Mutex::new(started), Mutex::new(released));
    let stuck = Hook::at::<SeenOften>("stuck").detached(move |_, _, ()| {
        started.lock().unwrap().send(()).unwrap();
        let _ = released.lock().unwrap().recv();
        later(0, ())
    });
    let registry = registry([stuck]);
    let ends = Ends::of(&registry);
    let _ = scope(&registry, &["stuck"]).fire(&cx(), &SeenOften {}, ()).await.unwrap();
    begun.recv().unwrap();
    let counts = registry.drain(Duration::ZERO).await.detached;
    assert_eq!((counts.done, counts.cancelled, counts.running), (0, 0, 1));
    release.send(()).unwrap();
    while registry.drain(Duration::ZERO).await.detached.running > 0 {}
    assert_eq!(ends.rows().len(), 1, "its end is reported nevertheless");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_many_threads_records_notices_and_counts_agree() {
    const TASKS: usize = 8;
    const EACH: usize = 100;
    let yields = || async { tokio::task::yield_now().await };
    let detached = Hook::at::<SeenOften>("detached").detached::<_, (), _>(move |_, _, ()| Box::pin(yields()));
    let queued = Hook::at::<SeenOften>("queued").background::<_, (), _>(move |_, _, ()| Box::pin(yields()));
    let registry = registry([detached, queued]);
    registry.set_detached_limit(16);
    let ends = Ends::of(&registry);
    Worker::new().queue(16).parallelism(3).start(&registry).unwrap();
    let set = scope(&registry, &["detached", "queued"]);
    let tasks: Vec<_> = (0..TASKS)
        .map(|_| {
            let set = set.clone();
            tokio::spawn(async move {
                let mut all = Vec::new();
                for _ in 0..EACH {
                    let fired = set.fire(&cx(), &SeenOften {}, ()).await.unwrap();
                    all.extend(statuses(fired.report.record.as_deref().unwrap()));
                    tokio::task::yield_now().await;
                }
                all
            })
        })
        .collect();
    let mut recorded = Vec::new();
    for task in tasks {
        recorded.extend(task.await.unwrap());
    }
    let drained = registry.drain(SOON).await;
    let count = |hook: &str, status: Status| recorded.iter().filter(|run| **run == (hook.to_owned(), status)).count();
    let reported = |hook: &str| ends.rows().iter().filter(|(id, ..)| id == hook).count();
    for (hook, begun, counts) in
        [("detached", Status::Detached, drained.detached), ("queued", Status::Queued, drained.background)]
    {
        assert_eq!(count(hook, begun) + count(hook, Status::Dropped), TASKS * EACH, "{hook}");
        assert_eq!(count(hook, begun), counts.done, "{hook}: {counts:?}");
        assert_eq!(count(hook, begun), reported(hook), "{hook}");
        assert_eq!(count(hook, Status::Dropped), counts.dropped, "{hook}");
        assert_eq!((counts.cancelled, counts.running), (0, 0), "{hook}");
    }
}
