//! Promise 13: what nobody waits for is bounded in number, drained with a deadline at the end, and never lost silently.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hooks_core::background::{BackgroundSink, Backoff, Job, JobError, Refused, Worker};
use hooks_core::config::Problem;
use hooks_core::record::{Ended, OnEnd, Record, Skip, Status};
use hooks_core::testing;
use hooks_core::verdict::Contribution;
use hooks_core::{CancellationToken, ConfigError};
use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use crate::support::*;

const SOON: Duration = Duration::from_secs(5);

/// An event that counts how many of it there are.
#[derive(Debug, HookKind)]
#[hook_kind(name = "tick", subject = Counted)]
struct Tick {
    alive: Counted,
    clones: Arc<AtomicUsize>,
}

impl Tick {
    fn new(alive: &Arc<AtomicUsize>) -> Self {
        Self { alive: Counted::new(alive), clones: Arc::default() }
    }
}

impl Clone for Tick {
    fn clone(&self) -> Self {
        self.clones.fetch_add(1, Ordering::SeqCst);
        Self { alive: self.alive.clone(), clones: Arc::clone(&self.clones) }
    }
}

/// A value of which the living are counted.
#[derive(Debug)]
struct Counted(Arc<AtomicUsize>);

impl Counted {
    fn new(alive: &Arc<AtomicUsize>) -> Self {
        alive.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(alive))
    }
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        Self::new(&self.0)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A contribute kind that can be written down.
#[derive(Clone, Debug, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "wind_down", subject = Vec<u32>, verdict = Contributions, json)]
struct WindDown {
    number: u32,
}

fn wind_down() -> WindDown {
    WindDown { number: 7 }
}

/// Who ended how, in the order in which it was heard.
#[derive(Clone, Default)]
struct Ends(Arc<Mutex<Vec<Ended>>>);

impl Ends {
    fn of(registry: &Registry) -> Self {
        let ends = Self::default();
        let into = Arc::clone(&ends.0);
        registry.observe(OnEnd(move |ended: &Ended, _: &Contributions| into.lock().unwrap().push(ended.clone())));
        ends
    }

    fn all(&self) -> Vec<Ended> {
        self.0.lock().unwrap().clone()
    }

    /// Hook, status and attempt.
    fn rows(&self) -> Vec<(String, Status, u32)> {
        self.all().iter().map(|ended| (ended.run.hook.to_string(), ended.run.status, ended.attempt)).collect()
    }
}

fn row(hook: &str, status: Status, attempt: u32) -> (String, Status, u32) {
    (hook.to_owned(), status, attempt)
}

fn scope(registry: &Registry, hooks: &[&str]) -> HookSet {
    registry.scope(&AgentDef::new("a").hooks(hooks.iter().copied()), None).unwrap()
}

/// A detached hook that ends when it is let through.
fn gated(name: &'static str, gate: &Arc<Semaphore>) -> Hook {
    let gate = Arc::clone(gate);
    Hook::detached::<SeenOften, _, _, _>(name, move |_, _, ()| {
        let gate = Arc::clone(&gate);
        Box::pin(async move { drop(gate.acquire().await) })
    })
}

/// An event of which nobody waits for the hooks.
#[derive(Clone, Debug, Serialize, Deserialize, HookKind)]
#[hook_kind(name = "seen_often", json)]
struct SeenOften {}

#[tokio::test(start_paused = true)]
async fn over_the_bound_a_detached_run_is_recorded_as_dropped_and_room_comes_back() {
    let gate = Arc::new(Semaphore::new(0));
    let registry = registry([gated("slow", &gate)]);
    registry.set_detached_limit(2);
    let ends = Ends::of(&registry);
    let set = scope(&registry, &["slow"]);
    let fire = async || {
        let fired = set.fire(&cx(), &SeenOften {}, ()).await.unwrap();
        assert!(fired.report.failures.is_empty(), "the hook did nothing wrong");
        let run = fired.report.record.clone().unwrap().runs[0].clone();
        (run.status, run.cause)
    };
    assert_eq!(fire().await, (Status::Detached, None));
    assert_eq!(fire().await, (Status::Detached, None));
    let (status, cause) = fire().await;
    assert_eq!(status, Status::Dropped);
    assert_eq!(cause.as_deref(), Some("2 detached runs are under way, and no more may be"));
    gate.add_permits(9);
    while ends.rows().len() < 2 {
        tokio::task::yield_now().await;
    }
    tokio::task::yield_now().await;
    assert_eq!(fire().await.0, Status::Detached, "there is room again");
    let drained = registry.drain(SOON).await;
    let counts = drained.detached;
    assert_eq!((counts.done, counts.cancelled, counts.dropped, counts.running), (3, 0, 1, 0));
}

#[tokio::test(start_paused = true)]
async fn a_drain_waits_cuts_off_at_its_deadline_and_says_what_became_of_all() {
    let detached = |name: &'static str, millis: u64| {
        Hook::detached::<SeenOften, _, _, _>(name, move |_, _, ()| later(millis, ())).timeout(Timeout::None)
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
    assert!(statuses.iter().all(|(_, status)| *status == Status::Dropped), "nothing starts after it: {statuses:?}");
    assert_eq!(registry.drain(SOON).await.detached.done, 1, "a second drain has nothing to do");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_computes_without_waiting_is_counted_as_running_and_does_not_hold_the_drain_up() {
    let (started, begun) = std::sync::mpsc::channel::<()>();
    let (release, released) = std::sync::mpsc::channel::<()>();
    let (started, released) = (Mutex::new(started), Mutex::new(released));
    let stuck = Hook::detached::<SeenOften, _, _, _>("stuck", move |_, _, ()| {
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
    assert_eq!(ends.rows().len(), 1, "its end is told all the same");
}

#[tokio::test(start_paused = true)]
async fn a_detached_run_has_its_own_event_and_subject_and_leaves_nothing_alive() {
    let alive = Arc::new(AtomicUsize::new(0));
    let gate = Arc::new(Semaphore::new(0));
    let detached = |name: &'static str| {
        let gate = Arc::clone(&gate);
        Hook::detached::<Tick, _, _, _>(name, move |_, _, _| {
            let gate = Arc::clone(&gate);
            Box::pin(async move { drop(gate.acquire().await) })
        })
    };
    let registry = registry([detached("a"), detached("b"), detached("c")]);
    let set = scope(&registry, &["a", "b", "c"]);
    let event = Tick::new(&alive);
    let clones = Arc::clone(&event.clones);
    let fired = set.fire(&HookContext::new(), &event, Counted::new(&alive)).await.unwrap();
    drop((fired, event));
    assert_eq!(clones.load(Ordering::SeqCst), 1, "the detached hooks of a dispatch share one event");
    assert_eq!(alive.load(Ordering::SeqCst), 4, "one event, three subjects");
    gate.add_permits(2);
    let drained = registry.drain(SOON).await;
    assert_eq!((drained.detached.done, drained.detached.cancelled), (3, 0));
    assert_eq!(alive.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn a_detached_run_that_is_cut_off_leaves_nothing_alive_either() {
    let alive = Arc::new(AtomicUsize::new(0));
    let forever = Hook::detached::<Tick, _, _, _>("forever", |_, _, _| Box::pin(std::future::pending::<()>()));
    let registry = registry([forever.timeout(Timeout::None)]);
    let set = scope(&registry, &["forever"]);
    let event = Tick::new(&alive);
    let _ = set.fire(&HookContext::new(), &event, Counted::new(&alive)).await.unwrap();
    drop(event);
    assert_eq!(alive.load(Ordering::SeqCst), 2);
    assert_eq!(registry.drain(Duration::ZERO).await.detached.cancelled, 1);
    assert_eq!(alive.load(Ordering::SeqCst), 0);
}

#[test]
fn a_runtime_that_ends_takes_its_runs_with_it_and_each_is_told() {
    let alive = Arc::new(AtomicUsize::new(0));
    let forever = Hook::detached::<Tick, _, _, _>("forever", |_, _, _| Box::pin(std::future::pending::<()>()));
    let registry = registry([forever.timeout(Timeout::None)]);
    let ends = Ends::of(&registry);
    let set = scope(&registry, &["forever"]);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let event = Tick::new(&alive);
        let _ = set.fire(&HookContext::new(), &event, Counted::new(&alive)).await.unwrap();
        tokio::task::yield_now().await;
    });
    drop(runtime);
    assert_eq!(ends.rows(), [row("forever", Status::Cancelled, 1)]);
    assert_eq!(alive.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_turn_does_not_end_a_detached_run() {
    let token = CancellationToken::new();
    let sees = Hook::detached::<SeenOften, _, _, _>("sees", |cx, _, ()| {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(10)).await;
            if cx.cancellation().is_some_and(CancellationToken::is_cancelled) {
                Err("it was cancelled")
            } else {
                Ok(())
            }
        })
    });
    let registry = registry([sees]);
    let ends = Ends::of(&registry);
    let set = scope(&registry, &["sees"]);
    let cx = HookContext::builder().cancellation(token.clone()).turn(3).build();
    let _ = set.fire(&cx, &SeenOften {}, ()).await.unwrap();
    token.cancel();
    registry.drain(SOON).await;
    assert_eq!(ends.rows(), [row("sees", Status::Completed, 1)]);
    assert_eq!(ends.all()[0].turn, Some(3));
}

// Background.

/// Takes jobs as lines of JSON.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

impl BackgroundSink for Lines {
    fn enqueue(&self, job: Job) -> Result<(), Refused> {
        self.0.lock().unwrap().push(serde_json::to_string(&job).unwrap());
        Ok(())
    }
}

impl Lines {
    fn jobs(&self) -> Vec<Job> {
        self.0.lock().unwrap().iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

struct Says(Refused);

impl BackgroundSink for Says {
    fn enqueue(&self, _job: Job) -> Result<(), Refused> {
        Err(self.0.clone())
    }
}

/// A background hook at `wind_down`.
fn background<R>(name: &'static str, run: impl Fn(u32, &[u32]) -> R + Send + Sync + 'static) -> Hook
where
    R: Into<Vec<Contribution>> + Send + 'static,
{
    Hook::background::<WindDown, _, _, _>(name, move |_, event, subject| {
        let said: Vec<Contribution> = run(event.number, subject).into();
        Box::pin(async move { said })
    })
}

#[tokio::test]
async fn a_job_runs_in_another_process_with_the_event_the_subject_and_the_ids() {
    let here = registry([background("note", |_, _| -> Vec<Contribution> { panic!("not in this process") })]);
    let lines = Lines::default();
    here.set_background(lines.clone());
    let set = scope(&here, &["note"]);
    let cx = cx().to_builder().agent("support").conversation("c-1").turn(3).build();
    for _ in 0..2 {
        let fired = set.fire(&cx, &wind_down(), vec![1, 2]).await.unwrap();
        assert_eq!(fired.report.record.clone().unwrap().runs[0].status, Status::Queued);
        assert!(fired.verdict.is_empty());
    }
    let jobs = lines.jobs();
    assert_ne!(jobs[0].id, jobs[1].id, "each has an id of its own");
    assert_eq!(jobs[0].idempotency_key, jobs[1].idempotency_key, "and they are for the same");
    let other = set.fire(&cx, &WindDown { number: 8 }, vec![1, 2]).await;
    drop(other);
    assert_ne!(lines.jobs()[2].idempotency_key, jobs[0].idempotency_key);

    // The other process: a registry that shares nothing with the first.
    let told = |number: u32, subject: &[u32]| vec![Contribution::audit(format!("{number} {subject:?}"))];
    let there = registry([background("note", told)]);
    let ends = Ends::of(&there);
    let end = there.run_job(&HookContext::new(), &jobs[0]).await.unwrap();
    assert_eq!(end.contributions.audit_notes().collect::<Vec<_>>(), ["7 [1, 2]"]);
    assert_eq!((end.ended.run.status, end.ended.again), (Status::Completed, false));
    let heard = ends.all();
    assert_eq!(heard, [end.ended]);
    assert_eq!((heard[0].agent.as_deref(), heard[0].conversation.as_deref()), (Some("support"), Some("c-1")));
    assert_eq!((heard[0].job.as_deref(), heard[0].turn), (Some(jobs[0].id.as_str()), Some(3)));
}

#[tokio::test]
async fn a_job_that_this_process_cannot_run_is_an_error_in_words() {
    let here = registry([background("note", |_, _| vec![])]);
    let lines = Lines::default();
    here.set_background(lines.clone());
    let _ = scope(&here, &["note"]).fire(&cx(), &wind_down(), vec![1]).await.unwrap();
    let job = lines.jobs().remove(0);
    let inline = Hook::reader::<WindDown, _, _, _>("note", |_, _, _| ());
    let disabled = registry([background("note", |_, _| vec![])]);
    disabled.disable("note").unwrap();
    let mut broken = job.clone();
    broken.event = serde_json::json!({ "number": "seven" });
    let cases = [
        (registry([background("notes", |_, _| vec![])]), &job, "which is not there; did you mean `notes`?"),
        (registry([inline]), &job, "at `wind_down`, where it is no background hook"),
        (disabled, &job, "which is disabled"),
        (here.clone(), &broken, "its event: invalid type: string \"seven\""),
    ];
    for (registry, job, expected) in cases {
        let error: JobError = registry.run_job(&HookContext::new(), job).await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_worker_runs_one_job_at_a_time_or_as_many_as_it_is_told() {
    for parallelism in [1, 3] {
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (running, peak) = (Arc::clone(&now), Arc::clone(&most));
        let hook = Hook::background::<SeenOften, _, _, _>("job", move |_, _, ()| {
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
async fn over_the_bound_of_the_queue_a_job_is_recorded_as_dropped() {
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
async fn what_a_queue_refuses_is_dropped_or_failed_and_never_silent() {
    let cases = [
        (Refused::Full, Status::Dropped, "the background queue is full"),
        (Refused::Closed, Status::Dropped, "the background queue is closed"),
        (Refused::Failed("disk".into()), Status::Failed, "the background queue could not keep the job: disk"),
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
async fn a_drain_cuts_off_the_job_that_runs_and_those_that_wait() {
    let hook = Hook::background::<SeenOften, _, _, _>("job", |_, _, ()| Box::pin(std::future::pending::<()>()));
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

#[tokio::test(start_paused = true)]
async fn a_job_that_failed_is_tried_again_after_its_backoff_and_no_more_often_than_it_says() {
    let waits = [(Backoff::None, [0, 0, 0]), (Backoff::Fixed, [1, 1, 1]), (Backoff::Exponential, [1, 2, 4])];
    for (backoff, waits) in waits {
        let fails = Hook::background::<SeenOften, _, _, _>("fails", |_, _, ()| later(0, Err::<(), _>("no luck")));
        let registry = registry([fails.idempotent().retries(3)]);
        let times = Arc::new(Mutex::new(Vec::new()));
        let ends = Ends::of(&registry);
        let into = Arc::clone(&times);
        registry.observe(OnEnd(move |ended: &Ended, _: &Contributions| {
            into.lock().unwrap().push((tokio::time::Instant::now(), ended.again));
        }));
        Worker::new().backoff(backoff).start(&registry).unwrap();
        let _ = scope(&registry, &["fails"]).fire(&cx(), &SeenOften {}, ()).await.unwrap();
        let counts = registry.drain(Duration::from_secs(60)).await.background;
        assert_eq!((counts.done, counts.cancelled), (1, 0), "four attempts, one job");
        assert_eq!(ends.rows(), [1, 2, 3, 4].map(|attempt| row("fails", Status::Failed, attempt)));
        let times = times.lock().unwrap();
        let between: Vec<u64> = times.windows(2).map(|pair| (pair[1].0 - pair[0].0).as_secs()).collect();
        assert_eq!(between, waits, "{backoff:?}");
        assert_eq!(times.iter().map(|(_, again)| *again).collect::<Vec<_>>(), [true, true, true, false]);
    }
}

#[test]
fn the_backoff_grows_to_a_minute_and_no_further() {
    let seconds = |attempt| Backoff::Exponential.after(attempt).as_secs();
    assert_eq!([1, 2, 6, 7, 8, u32::MAX].map(seconds), [1, 2, 32, 60, 60, 60]);
}

#[tokio::test(start_paused = true)]
async fn a_forbidden_contribution_is_a_failure_that_is_not_tried_again() {
    let bad = background("bad", |_, _| vec![Contribution::audit("x"), Contribution::prompt_section("a", "b", "c")]);
    let registry = registry([bad.idempotent().retries(3)]);
    let ends = Ends::of(&registry);
    Worker::new().start(&registry).unwrap();
    let _ = scope(&registry, &["bad"]).fire(&cx(), &wind_down(), vec![]).await.unwrap();
    registry.drain(SOON).await;
    assert_eq!(ends.rows(), [row("bad", Status::Failed, 1)]);
    let cause = ends.all()[0].run.cause.clone().unwrap();
    assert!(cause.contains("a prompt section") && cause.contains("only audit notes and background jobs"), "{cause}");
}

#[tokio::test]
async fn audit_notes_and_jobs_of_a_detached_hook_stand_beside_its_notice() {
    let leaves = Hook::detached::<WindDown, _, _, _>("leaves", |_, event, subject| {
        let said =
            vec![Contribution::audit(format!("{} {subject:?}", event.number)), Contribution::background_job("j", 1)];
        later(0, Ok::<_, String>(said))
    });
    let ran = testing::run([leaves], &wind_down(), vec![1]).await.unwrap();
    ran.expect_completed("leaves");
    assert_eq!(ran.left.audit_notes().collect::<Vec<_>>(), ["7 [1]"]);
    assert_eq!(ran.left.background_jobs().count(), 1);
    assert!(ran.verdict.is_empty(), "the dispatch did not wait for it");
}

#[test]
fn without_a_place_for_its_jobs_a_background_hook_is_a_configuration_error() {
    let registry = registry([background("note", |_, _| vec![]), background("off", |_, _| vec![])]);
    registry.disable("off").unwrap();
    let error: ConfigError = registry.scope(&AgentDef::new("a").hooks(["note", "off"]), None).unwrap_err();
    assert!(matches!(error.problems(), [Problem::NoBackground { .. }]), "{error}");
    assert!(error.to_string().contains("call `Worker::new().start(&registry)`"), "{error}");
    registry.set_background(Lines::default());
    assert!(registry.scope(&AgentDef::new("a").hooks(["note"]), None).is_ok());
}

#[test]
fn nothing_can_come_after_a_hook_that_nobody_waits_for() {
    let inline = |name: &str| Hook::reader::<WindDown, _, (), _>(name, |_, _, _| ());
    let detached = |name: &str| Hook::detached::<WindDown, _, (), _>(name, |_, _, _| later(0, ()));
    let back = |name: &'static str| background(name, |_, _| vec![]);
    let refused = [
        [inline("first").after(["second"]), detached("second")],
        [inline("first").requires(["second"]), back("second")],
        [inline("first"), detached("second").before(["first"])],
        [back("first").after(["second"]), back("second")],
        [detached("first").after(["second"]), detached("second")],
    ];
    for hooks in refused {
        let registry = registry(hooks);
        registry.set_background(Lines::default());
        let error = registry.scope(&AgentDef::new("a").hooks(["first", "second"]), None).unwrap_err();
        assert!(matches!(error.problems(), [Problem::WaitsForUnawaited { .. }]), "{error}");
        assert!(error.to_string().contains("so `first` would wait for `second`"), "{error}");
    }
    let allowed = [
        [inline("first"), detached("second").after(["first"])],
        [inline("first"), back("second").requires(["first"])],
        [inline("first").before(["second"]), back("second")],
    ];
    for hooks in allowed {
        let registry = registry(hooks);
        registry.set_background(Lines::default());
        assert!(registry.scope(&AgentDef::new("a").hooks(["second", "first"]), None).is_ok());
    }
}

#[test]
fn what_makes_no_sense_of_a_value_is_refused_when_it_is_registered() {
    let detached = || Hook::detached::<WindDown, _, (), _>("h", |_, _, _| later(0, ()));
    let cases = [
        (detached().on_failure(OnFailure::Required), "`on_failure` of the hook `h` cannot change anything"),
        (detached().idempotent().retries(2), "`retries` of the hook `h` needs a background hook"),
        (background("h", |_, _| vec![]).retries(2), "`retries` of the hook `h` needs a background hook"),
        (
            Hook::background::<Seen, _, (), _>("h", |_, _, ()| later(0, ())),
            "`run` of the hook `h` cannot be `background` at `seen`",
        ),
    ];
    for (hook, expected) in cases {
        let error = Registry::empty().register(hook).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn the_registry_of_a_worker_is_not_kept_alive_by_its_queue() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _within = runtime.enter();
    let state = Arc::new(());
    let kept = Arc::clone(&state);
    let registry = registry([background("note", move |_, _| {
        let _ = &kept;
        vec![]
    })]);
    Worker::new().start(&registry).unwrap();
    drop(registry);
    assert_eq!(Arc::strong_count(&state), 1);
}

#[test]
fn a_worker_needs_a_runtime_and_says_so() {
    let error = Worker::new().start(&Registry::empty()).unwrap_err();
    assert!(error.to_string().contains("start it within one"), "{error}");
}

#[tokio::test]
async fn a_filter_holds_for_what_nobody_waits_for() {
    let never = Hook::detached::<Often, _, (), _>("never", |_, _, ()| panic!("it does not match")).only("topic", "x");
    let ran = testing::run([never], &Often { topic: "y".to_owned() }, ()).await.unwrap();
    ran.expect_skipped("never", Skip::Filter);
}

/// An event with a field to filter by.
#[derive(Clone, Debug, HookKind)]
#[hook_kind(name = "often", match(topic))]
struct Often {
    topic: String,
}

#[tokio::test]
async fn no_record_holds_what_a_run_was_given() {
    const SECRET: &str = "4111-1111";
    let fails = Hook::detached::<Often, _, _, _>("fails", |_, _, ()| later(0, Err::<(), _>("no luck")));
    let registry = registry([fails]);
    let shown = Arc::new(Mutex::new(String::new()));
    let into = Arc::clone(&shown);
    registry.observe(OnEnd(move |ended: &Ended, _: &Contributions| {
        *into.lock().unwrap() = format!("{ended:?} {}", serde_json::to_string(ended).unwrap());
    }));
    registry.observe(|record: &Record| assert!(!format!("{record:?}").contains(SECRET)));
    let event = Often { topic: SECRET.to_owned() };
    let _ = scope(&registry, &["fails"]).fire(&HookContext::new(), &event, ()).await.unwrap();
    registry.drain(SOON).await;
    let shown = shown.lock().unwrap();
    assert!(shown.contains("no luck") && !shown.contains(SECRET), "{shown}");
}

#[tokio::test(start_paused = true)]
async fn whatever_an_attempt_fails_of_it_is_tried_again_and_a_later_one_may_succeed() {
    let attempts = AtomicUsize::new(0);
    let moody = Hook::background::<SeenOften, _, _, _>("moody", move |_, _, ()| {
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

#[tokio::test]
async fn a_job_that_the_worker_cannot_run_any_more_is_told_as_failed() {
    let registry = registry([background("note", |_, _| vec![]).idempotent().retries(3)]);
    let ends = Ends::of(&registry);
    Worker::new().start(&registry).unwrap();
    let _ = scope(&registry, &["note"]).fire(&cx(), &wind_down(), vec![]).await.unwrap();
    registry.disable("note").unwrap();
    assert_eq!(registry.drain(SOON).await.background.done, 1);
    assert_eq!(ends.rows(), [row("note", Status::Failed, 1)]);
    assert!(ends.all()[0].run.cause.as_deref().unwrap().contains("which is disabled"));
}

#[test]
fn a_job_is_queued_and_an_empty_drain_is_done_without_a_runtime() {
    let registry = registry([background("note", |_, _| vec![])]);
    let lines = Lines::default();
    registry.set_background(lines.clone());
    let fired = scope(&registry, &["note"]).fire_blocking(&cx(), &wind_down(), vec![]).unwrap();
    assert_eq!(fired.report.record.clone().unwrap().runs[0].status, Status::Queued);
    assert_eq!(lines.jobs().len(), 1);
    let drained = futures_executor::block_on(registry.drain(SOON));
    assert_eq!(drained, hooks_core::background::Drained::default());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn whatever_the_threads_do_records_notices_and_counts_say_the_same() {
    const TASKS: usize = 8;
    const EACH: usize = 100;
    let yields = || async { tokio::task::yield_now().await };
    let detached = Hook::detached::<SeenOften, _, (), _>("detached", move |_, _, ()| Box::pin(yields()));
    let queued = Hook::background::<SeenOften, _, (), _>("queued", move |_, _, ()| Box::pin(yields()));
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
    let told = |hook: &str| ends.rows().iter().filter(|(id, ..)| id == hook).count();
    for (hook, begun, counts) in
        [("detached", Status::Detached, drained.detached), ("queued", Status::Queued, drained.background)]
    {
        assert_eq!(count(hook, begun) + count(hook, Status::Dropped), TASKS * EACH, "{hook}");
        assert_eq!(count(hook, begun), counts.done, "{hook}: {counts:?}");
        assert_eq!(count(hook, begun), told(hook), "{hook}");
        assert_eq!(count(hook, Status::Dropped), counts.dropped, "{hook}");
        assert_eq!((counts.cancelled, counts.running), (0, 0), "{hook}");
    }
}
