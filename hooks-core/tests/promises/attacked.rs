//! Unusual moments: detached runs and jobs while a registry changes, is drained or is gone, and depth across threads.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hook_sdk::detached::{BackgroundSink, EnqueueError, Job};
use hook_sdk::kinds::ShutdownReason;
use hook_sdk::overrides::{Override, Overrides};
use hook_sdk::plugin::Plugin;
use hook_sdk::record::{OnEnd, RunEnd, Status};
use hook_sdk::worker::Worker;
use serde::{Deserialize, Serialize};

use super::support::*;

const SOON: Duration = Duration::from_secs(5);

#[derive(Clone, Debug, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "knock", json)]
struct Knock {}

/// An event whose deserialization panics in the worker.
#[derive(Clone, Debug, Serialize, HookKind)]
#[hook_kind(name = "unread", json)]
struct Unread {
    panics: bool,
}

impl<'de> Deserialize<'de> for Unread {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Raw {
            panics: bool,
        }
        let raw = Raw::deserialize(deserializer)?;
        if raw.panics {
            std::panic::resume_unwind(Box::new("of course"));
        }
        Ok(Self { panics: false })
    }
}

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<Job>>>);

impl BackgroundSink for Kept {
    fn enqueue(&self, job: Job) -> Result<(), EnqueueError> {
        self.0.lock().unwrap().push(job);
        Ok(())
    }
}

fn queued(id: &str) -> Hook {
    Hook::at::<Knock>(id).background::<_, (), _>(|_, _, ()| later(0, ()))
}

fn scope(registry: &Registry, ids: &[&str]) -> HookSet {
    registry.scope(&AgentDef::new("a").hooks(ids.iter().copied()), None).unwrap()
}

fn ends(registry: &Registry) -> Arc<Mutex<Vec<(String, Status)>>> {
    let ends: Arc<Mutex<Vec<(String, Status)>>> = Arc::default();
    let into = Arc::clone(&ends);
    registry.observe(OnEnd(move |ended: &RunEnd, _: &Contributions| {
        into.lock().unwrap().push((ended.run.hook.to_string(), ended.run.status));
    }));
    ends
}

async fn a_job(registry: &Registry) -> Job {
    let kept = Kept::default();
    registry.set_background(kept.clone());
    let _ = scope(registry, &["note"]).fire(&cx(), &Knock {}, ()).await.unwrap();
    kept.0.lock().unwrap().remove(0)
}

#[tokio::test]
async fn a_job_of_a_hook_that_an_override_disabled_is_not_run() {
    let registry = registry([queued("note")]);
    let job = a_job(&registry).await;
    registry.set_overrides([Overrides::new("night").set("note", Override::new().enabled(false))]).unwrap();
    let error = registry.run_job(&HookContext::new(), &job).await.unwrap_err();
    assert!(error.to_string().contains("which is disabled"), "{error}");
}

#[tokio::test]
async fn a_job_of_a_plugin_that_was_uninstalled_or_whose_start_failed_is_not_run() {
    let registry = Registry::empty();
    registry.register(queued("note").plugin("mail")).unwrap();
    let starts = Hook::at::<Init>("starts").reader(|_, _, ()| Err::<(), _>("no")).plugin("mail");
    registry.register(starts).unwrap();
    registry.install("mail").unwrap();
    let job = a_job(&registry).await;
    registry.start_plugins(&HookContext::new()).await.unwrap_err();
    let error = registry.run_job(&HookContext::new(), &job).await.unwrap_err();
    assert!(error.to_string().contains("plugin `mail`"), "{error}");
    registry.uninstall("mail", &HookContext::new()).await.unwrap();
    let error = registry.run_job(&HookContext::new(), &job).await.unwrap_err();
    assert!(error.to_string().contains("plugin `mail`"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn an_override_of_a_deadline_applies_to_background_detached_and_blocking_hooks() {
    let slow = Hook::at::<Knock>("note").background::<_, (), _>(|_, _, ()| later(10_000, ()));
    let detached = Hook::at::<Knock>("detached").detached::<_, (), _>(|_, _, ()| later(10_000, ()));
    let blocking = Hook::at::<Knock>("blocking").blocking().reader::<_, (), _>(|_, _, ()| ());
    let registry = registry([slow, detached, blocking]);
    let job = a_job(&registry).await;
    let short = Override::new().timeout(Timeout::After(Duration::from_secs(1)));
    let layer = Overrides::new("calm").set("note", short).set("detached", short).set("blocking", short);
    registry.set_overrides([layer]).unwrap();
    let end = registry.run_job(&HookContext::new(), &job).await.unwrap();
    assert_eq!(end.ended.run.status, Status::TimedOut);
    let ends = ends(&registry);
    let _ = scope(&registry, &["detached"]).fire(&cx(), &Knock {}, ()).await.unwrap();
    registry.drain(Duration::from_secs(60)).await;
    assert_eq!(*ends.lock().unwrap(), [("detached".to_owned(), Status::TimedOut)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_blocking_hook_that_fires_itself_stops_at_the_depth_limit() {
    static SET: Mutex<Option<HookSet>> = Mutex::new(None);
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let fires = Hook::at::<Knock>("fires").blocking().reader(|cx, event, ()| {
        CALLS.fetch_add(1, Ordering::SeqCst);
        let Some(set) = SET.lock().unwrap().clone() else { return Ok(()) };
        tokio::runtime::Handle::current().block_on(set.fire(cx, event, ())).map(drop)
    });
    let set = set([fires.timeout(Timeout::After(SOON))]);
    *SET.lock().unwrap() = Some(set.clone());
    let _ = tokio::time::timeout(SOON, set.fire(&cx(), &Knock {}, ())).await;
    *SET.lock().unwrap() = None;
    assert_eq!(CALLS.load(Ordering::SeqCst), 8);
}

#[tokio::test]
async fn a_job_that_panics_while_it_is_read_does_not_block_the_next_one() {
    let registry = registry([Hook::at::<Unread>("reads").background::<_, (), _>(|_, _, ()| later(0, ()))]);
    let ends = ends(&registry);
    Worker::new().start(&registry).unwrap();
    let set = scope(&registry, &["reads"]);
    for panics in [true, false] {
        let _ = set.fire(&cx(), &Unread { panics }, ()).await.unwrap();
    }
    registry.drain(SOON).await;
    let reported: Vec<Status> = ends.lock().unwrap().iter().map(|(_, status)| *status).collect();
    assert_eq!(reported, [Status::Failed, Status::Completed]);
}

struct PanicsInDrop;

impl Drop for PanicsInDrop {
    fn drop(&mut self) {
        std::panic::resume_unwind(Box::new("in Drop"));
    }
}

#[tokio::test(start_paused = true)]
async fn detached_runs_that_panic_in_drop_or_fire_themselves_stay_within_the_limit_and_are_all_reported() {
    static SET: Mutex<Option<HookSet>> = Mutex::new(None);
    let drops = Hook::at::<Knock>("drops").detached::<_, (), _>(|_, _, ()| {
        Box::pin(async {
            let _held = PanicsInDrop;
            std::future::pending::<()>().await;
        })
    });
    let again = Hook::at::<Knock>("fires").detached(|cx, event, ()| {
        Box::pin(async move {
            let set = SET.lock().unwrap().clone();
            let Some(set) = set else { return Ok(()) };
            for _ in 0..2 {
                let _fired = set.fire(cx, &*event, ()).await?;
            }
            Ok::<(), DispatchError>(())
        })
    });
    let registry = registry([drops, again]);
    registry.set_detached_limit(64);
    let ends = ends(&registry);
    let set = scope(&registry, &["drops", "fires"]);
    *SET.lock().unwrap() = Some(set.clone());
    let mut recorded = 0;
    for _ in 0..50_000 {
        let fired = set.fire(&cx(), &Knock {}, ()).await.unwrap();
        let record = fired.report.record.clone().unwrap();
        recorded += record.runs.iter().filter(|run| run.status == Status::Detached).count();
    }
    let drained = registry.drain(SOON).await;
    *SET.lock().unwrap() = None;
    assert!(recorded > 0);
    assert_eq!(drained.detached.running, 0, "{drained:?}");
    assert_eq!(
        ends.lock().unwrap().len(),
        drained.detached.done + drained.detached.failed + drained.detached.cancelled,
        "{drained:?}"
    );
    let reported = ends.lock().unwrap().iter().filter(|(id, _)| id == "drops").count();
    assert!(reported <= 64, "{reported}");
}

#[test]
fn the_jobs_of_a_runtime_that_ended_are_reported_as_cancelled() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let registry = registry([Hook::at::<Knock>("note").background::<_, (), _>(|_, _, ()| later(3_600_000, ()))]);
    let ends = ends(&registry);
    let first = runtime();
    first.block_on(async {
        Worker::new().start(&registry).unwrap();
        let set = scope(&registry, &["note"]);
        for _ in 0..3 {
            let _ = set.fire(&cx(), &Knock {}, ()).await.unwrap();
        }
        tokio::task::yield_now().await;
    });
    drop(first);
    let drained = runtime().block_on(registry.drain(Duration::from_millis(50)));
    assert_eq!((drained.background.cancelled, drained.background.running), (3, 0));
    assert_eq!(ends.lock().unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn while_the_registry_changes_each_dispatch_sees_one_set_and_the_drain_counts_all_runs() {
    let detached = || Hook::at::<Knock>("detached").detached::<_, (), _>(|_, _, ()| Box::pin(tokio::task::yield_now()));
    let registry = registry([detached(), queued("note")]);
    let ends = ends(&registry);
    Worker::new().parallelism(2).start(&registry).unwrap();
    let set = scope(&registry, &["detached", "note"]);
    let mut tasks = Vec::new();
    for number in 0..4 {
        let (registry, set) = (registry.clone(), set.clone());
        tasks.push(tokio::spawn(async move {
            let mut begun = 0;
            for i in 0..200 {
                match number {
                    0 => {
                        registry.replace(detached()).unwrap();
                        let layer = Overrides::new("l").set("detached", Override::new().enabled(i % 2 == 0));
                        registry.set_overrides([layer]).unwrap();
                        let hook = Hook::at::<Seen>(&format!("extra_{i}")).reader(|_, _, ()| ());
                        registry.install(Plugin::new(format!("p{i}")).hook(hook)).unwrap();
                        let cx = HookContext::new();
                        let name = format!("p{i}");
                        let (started, removed) =
                            tokio::join!(registry.start_plugins(&cx), registry.uninstall(&name, &cx));
                        started.unwrap();
                        removed.unwrap();
                    }
                    _ => {
                        let fired = set.fire(&cx(), &Knock {}, ()).await.unwrap();
                        let record = fired.report.record.clone().unwrap();
                        assert_eq!(record.runs.len(), 2);
                        let is = |status: Status| record.runs.iter().filter(|run| run.status == status).count();
                        begun += is(Status::Detached) + is(Status::Queued);
                        assert_eq!(is(Status::Detached) + is(Status::Queued) + is(Status::Dropped), 2, "{record:?}");
                        tokio::task::yield_now().await;
                    }
                }
            }
            begun
        }));
    }
    let drain = tokio::spawn({
        let registry = registry.clone();
        async move {
            tokio::time::sleep(Duration::from_millis(5)).await;
            registry.drain(SOON).await
        }
    });
    let mut begun = 0;
    for task in tasks {
        begun += task.await.unwrap();
    }
    drain.await.unwrap();
    let drained = registry.drain(SOON).await;
    let (d, b) = (drained.detached, drained.background);
    assert_eq!(begun, [d, b].map(|c| c.done + c.failed + c.cancelled).iter().sum::<usize>(), "{drained:?}");
    assert_eq!(begun, ends.lock().unwrap().len());
    assert_eq!(d.running + b.running, 0);
}

#[tokio::test(start_paused = true)]
async fn plugins_that_hang_or_panic_at_start_can_be_started_again_and_stop_once() {
    let log: Arc<Mutex<Vec<&str>>> = Arc::default();
    let registry = Registry::empty();
    let hangs = Arc::new(AtomicUsize::new(0));
    let (note, first) = (Arc::clone(&log), Arc::clone(&hangs));
    let init = Hook::at::<Init>("wakes").async_reader(move |_, _, ()| {
        let hang = first.fetch_add(1, Ordering::SeqCst) == 0;
        Box::pin(later(if hang { 10_000 } else { 0 }, ()))
    });
    let gone = Hook::at::<Shutdown>("sleeps").reader(move |_, _, ()| note.lock().unwrap().push("stopped"));
    registry.install(Plugin::new("bell").hook(init).hook(gone)).unwrap();
    let panics = Hook::at::<Init>("panics").reader(|_, _, ()| -> () { std::panic::resume_unwind(Box::new("no")) });
    registry.install(Plugin::new("broken").hook(panics)).unwrap();
    let cx = HookContext::new();
    registry.stop_plugins(&cx, ShutdownReason::Shutdown).await.unwrap();
    assert!(tokio::time::timeout(Duration::from_secs(1), registry.start_plugins(&cx)).await.is_err());
    registry.stop_plugins(&cx, ShutdownReason::Shutdown).await.unwrap();
    assert!(log.lock().unwrap().is_empty(), "a plugin that was not started is not stopped");
    let failed = registry.start_plugins(&cx).await.unwrap_err();
    assert_eq!(failed.failures.len(), 1);
    for _ in 0..2 {
        registry.stop_plugins(&cx, ShutdownReason::Shutdown).await.unwrap();
    }
    assert_eq!(*log.lock().unwrap(), ["stopped"]);
}
