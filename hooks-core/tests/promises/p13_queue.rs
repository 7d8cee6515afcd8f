//! Promise 13: the queue of background jobs is bounded, and so is the number of jobs that run at once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::detached::{BackgroundSink, EnqueueError, Job};
use hook_sdk::record::Status;
use hook_sdk::worker::Worker;

use super::detached_support::*;
use super::support::*;

struct Says(EnqueueError);

impl BackgroundSink for Says {
    fn enqueue(&self, _job: Job) -> Result<(), EnqueueError> {
        Err(self.0.clone())
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_runs_one_job_at_a_time_or_as_many_as_configured() {
    for parallelism in [1, 3] {
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (running, peak) = (Arc::clone(&now), Arc::clone(&most));
        let hook = Hook::at::<SeenOften>("job").background(move |_, _, ()| {
            let (running, peak) = (Arc::clone(&running), Arc::clone(&peak));
            Box::pin(async move {
                peak.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(10)).await;
                running.fetch_sub(1, Ordering::SeqCst);
            })
        });
        let registry = registry([hook]);
        Worker::new().parallelism(parallelism).start(&registry).unwrap();
        let set = scope(&registry, &["job"]);
        for _ in 0..6 {
            let _ = set.fire(&cx(), &SeenOften {}, ()).await.unwrap();
        }
        assert_eq!(most.load(Ordering::SeqCst), 0, "the dispatch returned before any of them began");
        let drained = registry.drain(SOON).await;
        assert_eq!((drained.background.done, drained.background.cancelled), (6, 0));
        assert_eq!(most.load(Ordering::SeqCst), parallelism);
    }
}

#[tokio::test(start_paused = true)]
async fn a_job_beyond_the_capacity_of_the_queue_is_recorded_as_dropped() {
    let registry = registry([background("note", |_, _| vec![])]);
    Worker::new().queue(2).start(&registry).unwrap();
    let set = scope(&registry, &["note"]);
    let mut statuses = Vec::new();
    for _ in 0..4 {
        let fired = set.fire(&cx(), &wind_down(), vec![]).await.unwrap();
        statuses.push(fired.report.record.clone().unwrap().runs[0].status);
    }
    assert_eq!(statuses, [Status::Queued, Status::Queued, Status::Dropped, Status::Dropped]);
    let counts = registry.drain(SOON).await.background;
    assert_eq!((counts.done, counts.cancelled, counts.dropped), (2, 0, 2));
}

#[tokio::test]
async fn a_job_that_the_queue_refuses_is_recorded_as_dropped_or_failed() {
    let cases = [
        (EnqueueError::Full, Status::Dropped, "the background queue is full"),
        (EnqueueError::Closed, Status::Dropped, "the background queue is closed, or its registry was dropped"),
        (EnqueueError::Failed("disk".into()), Status::Failed, "the background queue could not store the job: disk"),
    ];
    for (refused, status, cause) in cases {
        let registry = registry([background("note", |_, _| vec![])]);
        registry.set_background(Says(refused));
        let fired = scope(&registry, &["note"]).fire(&cx(), &wind_down(), vec![]).await.unwrap();
        let run = fired.report.record.clone().unwrap().runs[0].clone();
        assert_eq!((run.status, run.cause.as_deref()), (status, Some(cause)));
        assert_eq!(registry.drain(SOON).await.background.dropped, usize::from(status == Status::Dropped));
    }
}

#[tokio::test(start_paused = true)]
async fn a_delayed_job_starts_after_its_delay_and_delays_no_other_job() {
    let started = Arc::new(Mutex::new(Vec::new()));
    let hook = |id: &'static str| {
        let started = Arc::clone(&started);
        Hook::at::<SeenOften>(id).background(move |_, _, ()| {
            started.lock().unwrap().push((id, tokio::time::Instant::now()));
            later(0, ())
        })
    };
    let registry = registry([hook("late").delay(Duration::from_secs(600)), hook("soon")]);
    Worker::new().queue(2).start(&registry).unwrap();
    let set = scope(&registry, &["late", "soon"]);
    let start = tokio::time::Instant::now();
    let _ = set.fire(&cx(), &SeenOften {}, ()).await.unwrap();
    assert_eq!(registry.drain(Duration::from_secs(700)).await.background.done, 2);
    let started: Vec<_> = started.lock().unwrap().iter().map(|(id, at)| (*id, (*at - start).as_secs())).collect();
    assert_eq!(started, [("soon", 0), ("late", 600)]);
}

#[tokio::test(start_paused = true)]
async fn a_drain_cancels_running_and_waiting_jobs() {
    let hook = Hook::at::<SeenOften>("job").background(|_, _, ()| Box::pin(std::future::pending::<()>()));
    let registry = registry([hook.timeout(Timeout::None)]);
    let ends = Ends::of(&registry);
    Worker::new().start(&registry).unwrap();
    let set = scope(&registry, &["job"]);
    for _ in 0..3 {
        let _ = set.fire(&cx(), &SeenOften {}, ()).await.unwrap();
    }
    let counts = registry.drain(SOON).await.background;
    assert_eq!((counts.done, counts.cancelled, counts.running), (0, 3, 0));
    assert_eq!(ends.rows(), vec![row("job", Status::Cancelled, 1); 3]);
    let fired = set.fire(&cx(), &SeenOften {}, ()).await.unwrap();
    assert_eq!(fired.report.record.clone().unwrap().runs[0].status, Status::Dropped);
}

#[test]
fn a_worker_without_a_runtime_is_an_error() {
    let error = Worker::new().start(&Registry::empty()).unwrap_err();
    assert!(error.to_string().contains("start it inside a runtime"), "{error}");
}
