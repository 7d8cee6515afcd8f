//! Promise 19: background hooks whose jobs are stored.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::CancellationToken;
use hook_sdk::data::{Message, Role};
use hook_sdk::detached::{BackgroundSink, EnqueueError, Job};
use hook_sdk::kinds::AfterCreateMessage;
use hook_sdk::prelude::*;
use hook_sdk::worker::Backoff;
use hooks_agent::store::{Append, MessageStore};
use hooks_store::{Cleaning, JobFilter, JobStatus, JobWorker, Store};
use sqlx::{Connection, Executor};
use tokio::sync::Barrier;

use crate::databases::{self, Database};

/// A registry with the store as background sink, and the counters of its hooks.
fn registry(store: &Store) -> (Registry, Arc<AtomicUsize>) {
    let (registry, ran) = (Registry::empty(), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&ran);
    let index = Hook::at::<AfterCreateMessage>("index").background(move |_, _, ()| {
        count.fetch_add(1, Ordering::SeqCst);
        Box::pin(async {})
    });
    let count = Arc::clone(&ran);
    let flaky = Hook::at::<AfterCreateMessage>("flaky").background(move |_, _, ()| {
        let before = count.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move { if before < 2 { Err("not yet") } else { Ok(()) } })
    });
    registry.register(index).unwrap();
    registry.register(flaky.idempotent().retries(3)).unwrap();
    registry.set_background(store.job_queue());
    (registry, ran)
}

fn worker(database: &Database, registry: &Registry) -> JobWorker {
    JobWorker::new(database.store.clone(), registry.clone())
        .poll(Duration::from_millis(2))
        .silence(Duration::from_millis(300))
        .backoff(Backoff::None)
}

fn event() -> AfterCreateMessage {
    AfterCreateMessage::new(Message::new(Role::User, "hello"))
}

async fn fire(registry: &Registry, hook: &str) {
    let hooks = registry.scope(&AgentDef::new("a").hooks([hook]), None).unwrap();
    let cx = HookContext::builder().conversation("c").build();
    let fired = hooks.fire(&cx, &event(), ()).await.unwrap();
    assert!(fired.report.failures.is_empty(), "{:?}", fired.report.failures);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_job_is_run_once_by_one_worker() {
    for database in databases::all().await {
        let (registry, ran) = registry(&database.store);
        for _ in 0..20 {
            fire(&registry, "index").await;
        }
        let queued = database.store.jobs(&JobFilter::new().status(JobStatus::Queued), 100).await.unwrap();
        assert_eq!((queued.len(), queued[0].conversation.as_str(), queued[0].idempotent), (20, "c", false));
        let works = |parallelism| worker(&database, &registry).parallelism(parallelism).run_until_empty();
        tokio::join!(works(1), works(4), works(2));
        assert_eq!(ran.load(Ordering::SeqCst), 20, "{}", database.name);
        let done = database.store.jobs(&JobFilter::new().status(JobStatus::Done), 100).await.unwrap();
        assert_eq!(done.len(), 20);
        let attempts = database.store.attempts(&done[0].id).await.unwrap();
        assert_eq!((attempts.len(), attempts[0].status.as_deref()), (1, Some("completed")));
        let removed = async |age| database.store.clean(Cleaning::older_than(age)).await.unwrap().jobs;
        assert_eq!(removed(Duration::from_mins(1)).await, 0);
        std::thread::sleep(Duration::from_millis(2)); // the age of a job has milliseconds
        assert_eq!(removed(Duration::ZERO).await, 20);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_job_runs_only_if_it_is_queued_again() {
    for database in databases::all().await {
        let (registry, ran) = registry(&database.store);
        fire(&registry, "index").await;
        let id = database.store.jobs(&JobFilter::new(), 1).await.unwrap().remove(0).id;
        assert!(!database.store.retry(&id).await.unwrap(), "it waits");
        assert!(database.store.cancel(&id).await.unwrap());
        assert!(!database.store.cancel(&id).await.unwrap(), "it waits no longer");
        worker(&database, &registry).run_until_empty().await;
        let cancelled = database.store.job(&id).await.unwrap().unwrap();
        assert_eq!((ran.load(Ordering::SeqCst), cancelled.status), (0, JobStatus::Cancelled), "{}", database.name);
        assert!(database.store.jobs(&JobFilter::needing_attention(), 1).await.unwrap().is_empty());

        assert!(database.store.retry(&id).await.unwrap());
        worker(&database, &registry).run_until_empty().await;
        assert_eq!(ran.load(Ordering::SeqCst), 1, "{}", database.name);
        assert!(!database.store.cancel(&id).await.unwrap(), "it is done");

        fire(&registry, "index").await;
        let waits = database.store.jobs(&JobFilter::new().status(JobStatus::Queued), 1).await.unwrap().remove(0).id;
        assert!(database.store.cancel(&waits).await.unwrap());
        std::thread::sleep(Duration::from_millis(2)); // the age of a job has milliseconds
        assert_eq!(database.store.clean(Cleaning::older_than(Duration::ZERO)).await.unwrap().jobs, 2);
    }
}

#[tokio::test(flavor = "current_thread")]
async fn a_job_can_be_stored_on_a_single_threaded_runtime() {
    for database in databases::all().await {
        let (registry, _) = registry(&database.store);
        fire(&registry, "index").await;
        assert_eq!(database.store.jobs(&JobFilter::new().hook("index"), 100).await.unwrap().len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_job_is_retried_up_to_the_limit_of_its_hook() {
    for database in databases::all().await {
        let (registry, _) = registry(&database.store);
        fire(&registry, "flaky").await;
        worker(&database, &registry).run_until_empty().await;
        let jobs = database.store.jobs(&JobFilter::new(), 100).await.unwrap();
        assert_eq!((jobs[0].status, jobs[0].attempt, jobs[0].max_attempts), (JobStatus::Done, 3, 4));
        let attempts = database.store.attempts(&jobs[0].id).await.unwrap();
        let words: Vec<_> =
            attempts.iter().map(|attempt| (attempt.attempt, attempt.status.as_deref().unwrap())).collect();
        assert_eq!(words, [(1, "failed"), (2, "failed"), (3, "completed")]);
    }
}

/// Another queue, which refuses the jobs of one hook.
#[derive(Clone, Default)]
struct Broker(Arc<Mutex<Vec<Job>>>);

impl BackgroundSink for Broker {
    fn enqueue(&self, job: Job) -> Result<(), EnqueueError> {
        if job.hook.as_str() == "flaky" {
            return Err(EnqueueError::Failed("too large".to_owned()));
        }
        self.0.lock().unwrap().push(job);
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn forwarded_jobs_are_done_here_and_refused_ones_stay() {
    for database in databases::all().await {
        let store = &database.store;
        let (registry, ran) = registry(store);
        let late = Hook::at::<AfterCreateMessage>("late").background(|_, _, ()| Box::pin(async {}));
        registry.register(late.delay(Duration::from_hours(1))).unwrap();
        for hook in ["flaky", "late", "index", "index"] {
            fire(&registry, hook).await;
        }
        let (broker, stop) = (Broker::default(), CancellationToken::new());
        let forwards = tokio::spawn({
            let (store, broker, stop) = (store.clone(), broker.clone(), stop.clone());
            async move { store.forward_jobs(broker, stop).await }
        });
        let done = JobFilter::new().status(JobStatus::Done);
        while store.jobs(&done, 100).await.unwrap().len() < 3 {
            tokio::task::yield_now().await;
        }
        stop.cancel();
        forwards.await.unwrap();
        let mut done: Vec<_> = store.jobs(&done, 100).await.unwrap().into_iter().map(|job| job.id).collect();
        let jobs = broker.0.lock().unwrap().clone();
        let mut ids: Vec<_> = jobs.iter().map(|job| job.id.clone()).collect();
        done.sort();
        ids.sort();
        assert_eq!(ids, done, "{}: each once", database.name);
        let waits = |job: &&Job| job.delay > Duration::from_mins(59);
        assert_eq!(jobs.iter().filter(waits).map(|job| job.hook.as_str()).collect::<Vec<_>>(), ["late"]);
        // What stayed runs here.
        worker(&database, &registry).run_until_empty().await;
        assert_eq!(ran.load(Ordering::SeqCst), 3, "{}: the third run of `flaky` succeeds", database.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delayed_job_waits_and_delays_no_other_job() {
    for database in databases::all().await {
        let (registry, ran) = registry(&database.store);
        let count = Arc::clone(&ran);
        let late = Hook::at::<AfterCreateMessage>("late").background(move |_, _, ()| {
            let before = count.fetch_add(1, Ordering::SeqCst);
            Box::pin(async move { if before == 1 { Ok(()) } else { Err("it ran before the other one") } })
        });
        registry.register(late.delay(Duration::from_millis(400))).unwrap();
        for hook in ["late", "index"] {
            fire(&registry, hook).await;
        }
        worker(&database, &registry).run_until_empty().await;
        let late = database.store.jobs(&JobFilter::new().hook("late"), 1).await.unwrap().remove(0);
        assert_eq!((late.status, late.cause.as_deref()), (JobStatus::Done, None), "{}", database.name);
        assert_eq!(late.run_at.duration_since(late.created_at).unwrap(), Duration::from_millis(400));
        let started = database.store.attempts(&late.id).await.unwrap()[0].started_at;
        assert!(started >= late.run_at, "{}", database.name);
    }
}

/// While programs are upgraded one by one, an old worker does not spoil the jobs of new hooks.
#[tokio::test(flavor = "multi_thread")]
async fn a_job_of_an_unknown_hook_is_first_left_to_other_workers() {
    for database in databases::all().await {
        let (new, ran) = registry(&database.store);
        fire(&new, "index").await;
        worker(&database, &Registry::empty()).run_until_empty().await;
        let jobs = database.store.jobs(&JobFilter::new(), 100).await.unwrap();
        assert_eq!((jobs[0].status, jobs[0].attempt), (JobStatus::Queued, 1));
        assert!(database.store.attempts(&jobs[0].id).await.unwrap().is_empty(), "it was not started");
        worker(&database, &new).run_until_empty().await;
        assert_eq!(ran.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_of_a_hook_that_no_worker_has_waits_for_an_operator() {
    for database in databases::all().await {
        let (here, ran) = registry(&database.store);
        fire(&here, "index").await;
        worker(&database, &Registry::empty()).unknown_after(Duration::ZERO).run_until_empty().await;
        let jobs = database.store.jobs(&JobFilter::needing_attention(), 100).await.unwrap();
        assert_eq!((jobs.len(), jobs[0].status, jobs[0].code.as_deref()), (1, JobStatus::Failed, Some("unknown_hook")));
        assert!(jobs[0].cause.as_deref().unwrap().contains("`index`"), "{:?}", jobs[0].cause);
        assert!(database.store.retry(&jobs[0].id).await.unwrap());
        assert!(!database.store.retry(&jobs[0].id).await.unwrap(), "it is queued already");
        worker(&database, &here).run_until_empty().await;
        assert_eq!(ran.load(Ordering::SeqCst), 1);
        assert_eq!(database.store.job(&jobs[0].id).await.unwrap().unwrap().status, JobStatus::Done);
    }
}

/// A hook that blocks its thread until its job is stored must not wait for a transaction of the same thread.
#[tokio::test(flavor = "current_thread")]
async fn a_dispatch_and_an_append_on_one_thread_do_not_deadlock() {
    for database in databases::all().await {
        let (registry, _) = registry(&database.store);
        let start = std::time::Instant::now();
        let appends = async {
            for _ in 0..20 {
                let append = Append::new([Message::new(Role::User, "hello")]);
                database.store.append("c", append).await.unwrap();
            }
        };
        let fires = async {
            for _ in 0..20 {
                fire(&registry, "index").await;
                tokio::task::yield_now().await;
            }
        };
        tokio::join!(appends, fires);
        assert_eq!(database.store.jobs(&JobFilter::new(), 100).await.unwrap().len(), 20, "{}", database.name);
        assert!(start.elapsed() < Duration::from_secs(9), "{}: one waited until the other gave up", database.name);
    }
}

/// As above, for a worker whose hooks queue further jobs.
#[tokio::test(flavor = "current_thread")]
async fn a_hook_in_a_worker_can_queue_a_job() {
    for database in databases::all().await {
        let (inner, _) = registry(&database.store);
        let outer = Registry::empty();
        let then = Hook::at::<AfterCreateMessage>("then").background(move |_, _, ()| {
            let inner = inner.clone();
            Box::pin(async move { fire(&inner, "index").await })
        });
        outer.register(then).unwrap();
        outer.set_background(database.store.job_queue());
        for _ in 0..40 {
            fire(&outer, "then").await;
        }
        let start = std::time::Instant::now();
        // It runs the outer jobs, and does not have the inner hook.
        worker(&database, &outer).parallelism(4).run_until_empty().await;
        let inner = database.store.jobs(&JobFilter::new().hook("index"), 100).await.unwrap();
        let outer = database.store.jobs(&JobFilter::new().hook("then").status(JobStatus::Done), 100).await.unwrap();
        assert_eq!((inner.len(), outer.len()), (40, 40), "{}", database.name);
        assert!(start.elapsed() < Duration::from_secs(9), "{}: one waited until the other gave up", database.name);
    }
}

/// Two workers died during this job, so it runs alone. It becomes due while the worker runs other jobs.
#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_runs_alone_is_not_starved_by_a_busy_worker() {
    for database in databases::all().await {
        let registry = Registry::empty();
        let (running, ended) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Vec::new())));
        // The first two others wait for each other.
        let (started, together) = (Arc::new(AtomicUsize::new(0)), Arc::new(Barrier::new(2)));
        let url: Arc<str> = database.url.as_str().into();
        for id in ["common", "lethal"] {
            let (running, ended) = (Arc::clone(&running), Arc::clone(&ended));
            let (started, together, url) = (Arc::clone(&started), Arc::clone(&together), Arc::clone(&url));
            let hook = Hook::at::<AfterCreateMessage>(id).background(move |_, _, ()| {
                let (running, ended) = (Arc::clone(&running), Arc::clone(&ended));
                let (started, together, url) = (Arc::clone(&started), Arc::clone(&together), Arc::clone(&url));
                Box::pin(async move {
                    let others = running.fetch_add(1, Ordering::SeqCst);
                    let number = started.fetch_add(1, Ordering::SeqCst);
                    if number < 2 {
                        together.wait().await;
                    } else if number == 10 {
                        let mut connection = databases::connect(&url).await;
                        let is_due = "UPDATE hooks_jobs SET run_at = created_at WHERE hook = 'lethal'";
                        connection.execute(is_due).await.unwrap();
                        connection.close().await.unwrap();
                    }
                    tokio::task::yield_now().await;
                    running.fetch_sub(1, Ordering::SeqCst);
                    ended.lock().unwrap().push((id, others));
                })
            });
            registry.register(hook).unwrap();
        }
        registry.set_background(database.store.job_queue());
        fire(&registry, "lethal").await;
        for _ in 0..300 {
            fire(&registry, "common").await;
        }
        let mut connection = databases::connect(&database.url).await;
        let died = "UPDATE hooks_jobs SET deaths = 2, run_at = created_at + 3600000 WHERE hook = 'lethal'";
        connection.execute(died).await.unwrap();
        connection.close().await.unwrap();
        let works = worker(&database, &registry).parallelism(3).run_until_empty();
        tokio::time::timeout(Duration::from_mins(1), works).await.expect("the others ran one by one");
        let ended = ended.lock().unwrap();
        let at = ended.iter().position(|(id, _)| *id == "lethal").unwrap();
        // Those that ran when it became due end before it, on a busy machine more of them; if it starves, all 300 do.
        assert!((8..300).contains(&at), "{}: it ran at {at}", database.name);
        assert_eq!(ended[at], ("lethal", 0), "{}: it did not run alone", database.name);
    }
}

/// Heartbeats do not need the thread on which hooks run.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_whose_only_thread_is_blocked_is_not_taken_for_dead() {
    for database in databases::all().await {
        let (registry, ran) = (Registry::empty(), Arc::new(AtomicUsize::new(0)));
        let count = Arc::clone(&ran);
        let blocks = Hook::at::<AfterCreateMessage>("blocks").background(move |_, _, ()| {
            count.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(900)); // three times as long as a worker may be silent
            Box::pin(async {})
        });
        registry.register(blocks).unwrap();
        registry.set_background(database.store.job_queue());
        fire(&registry, "blocks").await;
        let works = || {
            let worker = worker(&database, &registry);
            tokio::task::spawn_blocking(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(worker.run_until_empty());
            })
        };
        let (one, other) = tokio::join!(works(), works());
        one.and(other).unwrap();
        let jobs = database.store.jobs(&JobFilter::new(), 10).await.unwrap();
        assert_eq!((jobs[0].status, jobs[0].deaths), (JobStatus::Done, 0), "{}", database.name);
        assert_eq!(ran.load(Ordering::SeqCst), 1, "{}", database.name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_ends_when_its_store_is_closed() {
    for database in databases::all().await {
        let registry = Registry::empty();
        let (began, goes_on) = (CancellationToken::new(), CancellationToken::new());
        let (begins, waits) = (began.clone(), goes_on.clone());
        let hook = Hook::at::<AfterCreateMessage>("waits").background(move |_, _, ()| {
            begins.cancel();
            Box::pin(waits.clone().cancelled_owned())
        });
        registry.register(hook).unwrap();
        registry.set_background(database.store.job_queue());
        fire(&registry, "waits").await;
        let worker = tokio::spawn(worker(&database, &registry).run(CancellationToken::new()));
        began.cancelled().await;
        database.store.close().await.unwrap();
        goes_on.cancel();
        tokio::time::timeout(Duration::from_mins(1), worker).await.unwrap().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_whose_plugin_does_not_run_for_a_moment_waits_for_it() {
    for database in databases::all().await {
        let (registry, ran) = (Registry::empty(), Arc::new(AtomicUsize::new(0)));
        let count = Arc::clone(&ran);
        let index = Hook::at::<AfterCreateMessage>("index").background(move |_, _, ()| {
            count.fetch_add(1, Ordering::SeqCst);
            Box::pin(async {})
        });
        registry.register(index.plugin("search")).unwrap();
        registry.set_background(database.store.job_queue());
        registry.install("search").unwrap();
        fire(&registry, "index").await;
        registry.uninstall("search", &HookContext::new()).await.unwrap();
        let attempt = async || database.store.jobs(&JobFilter::new(), 10).await.unwrap()[0].attempt;
        let token = CancellationToken::new();
        let runs = tokio::spawn(worker(&database, &registry).backoff(Backoff::Fixed).run(token.clone()));
        let waits = async {
            while attempt().await < 2 {
                tokio::task::yield_now().await;
            }
            registry.install("search").unwrap();
            while ran.load(Ordering::SeqCst) == 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), waits).await.unwrap();
        token.cancel();
        runs.await.unwrap();
        assert_eq!(ran.load(Ordering::SeqCst), 1, "{}", database.name);
    }
}
