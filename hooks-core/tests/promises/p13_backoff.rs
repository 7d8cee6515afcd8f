//! Promise 13: jobs that wait for their backoff count towards the bound of the queue.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::record::{OnEnd, RunEnd, Status};
use hook_sdk::worker::{Backoff, Worker};

use super::detached_support::*;
use super::support::*;

#[tokio::test(start_paused = true)]
async fn failed_jobs_never_exceed_the_capacity_of_queue_and_worker() {
    const FIRED: usize = 5_000;
    for (backoff, parallelism) in [(Backoff::Fixed, 1), (Backoff::Exponential, 1), (Backoff::Exponential, 3)] {
        let most = 2 + parallelism;
        let fails = Hook::at::<SeenOften>("fails").background(|_, _, ()| later(0, Err::<(), _>("no luck")));
        let registry = registry([fails.idempotent().retries(1_000_000)]);
        let alive: Arc<Mutex<HashSet<String>>> = Arc::default();
        let into = Arc::clone(&alive);
        registry.observe(OnEnd(move |ended: &RunEnd, _: &Contributions| {
            let (mut alive, job) = (into.lock().unwrap(), ended.job.clone().unwrap());
            if ended.again {
                alive.insert(job)
            } else {
                alive.remove(&job)
            };
        }));
        Worker::new().queue(2).parallelism(parallelism).backoff(backoff).start(&registry).unwrap();
        let set = scope(&registry, &["fails"]);
        let mut queued = 0;
        for _ in 0..FIRED {
            let fired = set.fire(&cx(), &SeenOften {}, ()).await.unwrap();
            let status = fired.report.record.clone().unwrap().runs[0].status;
            assert!(matches!(status, Status::Queued | Status::Dropped));
            queued += usize::from(status == Status::Queued);
            // Gives the worker time to run.
            tokio::time::sleep(Duration::from_millis(1)).await;
            assert!(alive.lock().unwrap().len() <= most, "{} jobs wait", alive.lock().unwrap().len());
        }
        assert!((2..=most).contains(&queued), "{queued} jobs were queued");
        let counts = registry.drain(SOON).await.background;
        assert_eq!((counts.done, counts.failed, counts.running), (0, 0, 0));
        assert_eq!((counts.cancelled, counts.dropped), (queued, FIRED - queued));
    }
}

#[tokio::test(start_paused = true)]
async fn a_job_without_attempts_left_frees_its_place_in_the_queue() {
    let fails = Hook::at::<SeenOften>("fails").background(|_, _, ()| later(0, Err::<(), _>("no luck")));
    let registry = registry([fails.idempotent().retries(1)]);
    Worker::new().queue(1).start(&registry).unwrap();
    let set = scope(&registry, &["fails"]);
    let mut statuses = Vec::new();
    for _ in 0..3 {
        let fired = set.fire(&cx(), &SeenOften {}, ()).await.unwrap();
        statuses.push(fired.report.record.clone().unwrap().runs[0].status);
        tokio::time::sleep(Duration::from_millis(600)).await;
    }
    // The second dispatch finds the first job waiting for its second attempt. The third finds an empty queue.
    assert_eq!(statuses, [Status::Queued, Status::Dropped, Status::Queued]);
    let counts = registry.drain(SOON).await.background;
    assert_eq!((counts.done, counts.failed, counts.dropped), (0, 2, 1), "a failed job does not count as done");
}

#[tokio::test(start_paused = true)]
async fn a_detached_run_that_fails_is_counted_as_failed() {
    let ends: [fn() -> Result<(), &'static str>; 3] = [|| Ok(()), || Err("no luck"), || panic!("oh")];
    let detached = |(i, end): (usize, fn() -> Result<(), &'static str>)| {
        Hook::at::<SeenOften>(["a", "b", "c"][i]).detached(move |_, _, ()| Box::pin(async move { end() }))
    };
    let registry = registry(ends.into_iter().enumerate().map(detached));
    let _ = scope(&registry, &["a", "b", "c"]).fire(&cx(), &SeenOften {}, ()).await.unwrap();
    let counts = registry.drain(SOON).await.detached;
    assert_eq!((counts.done, counts.failed, counts.cancelled), (1, 2, 0));
}
