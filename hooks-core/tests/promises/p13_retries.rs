//! Promise 13: a failed job is retried, within bounds.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::hook::NotSelected;
use hook_sdk::record::{OnEnd, RunEnd, Status};
use hook_sdk::verdict::Contribution;
use hook_sdk::worker::{Backoff, Worker};

use super::detached_support::*;
use super::support::*;

#[tokio::test(start_paused = true)]
async fn a_failed_job_is_retried_after_its_backoff_up_to_its_limit() {
    let waits = [(Backoff::None, [0, 0, 0]), (Backoff::Fixed, [1, 1, 1]), (Backoff::Exponential, [1, 2, 4])];
    for (backoff, waits) in waits {
        let fails = Hook::at::<SeenOften>("fails").background(|_, _, ()| later(0, Err::<(), _>("no luck")));
        let registry = registry([fails.idempotent().retries(3)]);
        let times = Arc::new(Mutex::new(Vec::new()));
        let ends = Ends::of(&registry);
        let into = Arc::clone(&times);
        registry.observe(OnEnd(move |ended: &RunEnd, _: &Contributions| {
            into.lock().unwrap().push((tokio::time::Instant::now(), ended.again));
        }));
        Worker::new().backoff(backoff).start(&registry).unwrap();
        let _ = scope(&registry, &["fails"]).fire(&cx(), &SeenOften {}, ()).await.unwrap();
        let counts = registry.drain(Duration::from_secs(60)).await.background;
        assert_eq!((counts.done, counts.failed, counts.cancelled), (0, 1, 0), "four attempts, one job");
        assert_eq!(ends.rows(), [1, 2, 3, 4].map(|attempt| row("fails", Status::Failed, attempt)));
        let times = times.lock().unwrap();
        let between: Vec<u64> = times.windows(2).map(|pair| (pair[1].0 - pair[0].0).as_secs()).collect();
        assert_eq!(between, waits, "{backoff:?}");
        assert_eq!(times.iter().map(|(_, again)| *again).collect::<Vec<_>>(), [true, true, true, false]);
    }
}

#[test]
fn the_backoff_grows_to_one_minute() {
    let seconds = |attempt| Backoff::Exponential.after(attempt).as_secs();
    assert_eq!([1, 2, 6, 7, 8, u32::MAX].map(seconds), [1, 2, 32, 60, 60, 60]);
}

#[tokio::test(start_paused = true)]
async fn a_forbidden_contribution_is_a_failure_that_is_not_retried() {
    let bad = background("bad", |_, _| vec![Contribution::audit("x"), Contribution::prompt_section("a", "b", "c")]);
    let registry = registry([bad.idempotent().retries(3)]);
    let ends = Ends::of(&registry);
    Worker::new().start(&registry).unwrap();
    let _ = scope(&registry, &["bad"]).fire(&cx(), &wind_down(), vec![]).await.unwrap();
    registry.drain(SOON).await;
    assert_eq!(ends.rows(), [row("bad", Status::Failed, 1)]);
    let cause = ends.all()[0].run.cause.clone().unwrap();
    assert!(cause.contains("`prompt_section`") && cause.contains("only audit, background_job"), "{cause}");
}

#[tokio::test(start_paused = true)]
async fn a_job_that_returns_that_its_event_is_not_for_it_is_done() {
    let picky = Hook::at::<SeenOften>("picky").background(|_, _, ()| later(0, Err::<(), _>(NotSelected)));
    let registry = registry([picky.idempotent().retries(3)]);
    let ends = Ends::of(&registry);
    Worker::new().start(&registry).unwrap();
    let _ = scope(&registry, &["picky"]).fire(&cx(), &SeenOften {}, ()).await.unwrap();
    registry.drain(Duration::from_secs(60)).await;
    assert_eq!(ends.rows(), [row("picky", Status::Completed, 1)]);
}

#[tokio::test(start_paused = true)]
async fn a_job_is_retried_after_any_kind_of_failure_and_may_succeed_later() {
    let attempts = AtomicUsize::new(0);
    let moody = Hook::at::<SeenOften>("moody").background(move |_, _, ()| {
        let attempt = attempts.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            match attempt {
                0 => panic!("oh"),
                1 => std::future::pending().await,
                2 => Err("no luck"),
                _ => Ok(()),
            }
        })
    });
    let registry = registry([moody.idempotent().retries(9)]);
    let ends = Ends::of(&registry);
    Worker::new().start(&registry).unwrap();
    let _ = scope(&registry, &["moody"]).fire(&cx(), &SeenOften {}, ()).await.unwrap();
    registry.drain(Duration::from_secs(300)).await;
    let expected = [Status::Panicked, Status::TimedOut, Status::Failed, Status::Completed];
    assert_eq!(ends.rows(), [0, 1, 2, 3].map(|i| row("moody", expected[i], u32::try_from(i).unwrap() + 1)));
}
